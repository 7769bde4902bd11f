import SwiftSyntax

/// The access level of a declaration, from the most restricted to the least.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, `package`, `public`

    init(_ modifiers: DeclModifierListSyntax) {
        self = .internal
        // `private(set)` does not restrict reading.
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.tokenKind {
            case .keyword(.private): self = .private
            case .keyword(.fileprivate): self = .fileprivate
            case .keyword(.package): self = .package
            case .keyword(.public), .keyword(.open): self = .public
            default: continue
            }
        }
    }

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    /// The access modifier for a member in a type with access `type`; empty if Swift's default is right.
    func modifier(inTypeOf type: Access) -> String {
        switch self {
        case .public: "public "
        case .package: "package "
        case .internal: ""
        // The conformance is in the same file and must be able to read private members of the record.
        case .private, .fileprivate: type <= .fileprivate ? "" : "fileprivate "
        }
    }

    /// The keyword, for messages.
    var name: String {
        switch self {
        case .private: "private"
        case .fileprivate: "fileprivate"
        case .internal: "internal"
        case .package: "package"
        case .public: "public"
        }
    }
}
