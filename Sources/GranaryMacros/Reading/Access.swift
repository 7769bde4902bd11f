import SwiftSyntax

/// Who may use a declaration, from fewest to most.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, `package`, `public`

    init(_ modifiers: DeclModifierListSyntax) {
        self = .internal
        // `private(set)` says nothing about reading.
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

    /// What a member is written with, given the access of the type it is in: nothing where that is what Swift does.
    func modifier(inTypeOf type: Access) -> String {
        switch self {
        case .public: "public "
        case .package: "package "
        case .internal: ""
        // What is private in a record is to be read by its conformance, which is in the same file.
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
