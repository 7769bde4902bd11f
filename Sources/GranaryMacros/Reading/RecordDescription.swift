import SwiftSyntax

/// What ``RecordReader`` found: all that is needed to write a record's members.
struct RecordDescription {
    /// As written, with back-ticks if it has them.
    var typeName: String
    var entityName: String
    /// The names that the entity had before.
    var earlierNames: [String]
    var access: Access
    /// In the order of declaration: the positions of a row.
    var properties: [Property]
    var keyIndex: Int
    /// Whether the store makes the keys.
    var isKeyAssigned: Bool
    /// The name in the store of the attribute that counts changes, if one does.
    var versionName: String?
    var indexes: [Index]
    /// In the order of declaration.
    var relationships: [Relationship]
    /// Whether the struct has an `id` of its own beside the key.
    var declaresID: Bool
    /// Whether the struct has the memberwise initializer that the compiler writes.
    var isMemberwise: Bool

    var key: Property { properties[keyIndex] }

    /// A stored property that is an attribute.
    struct Property {
        /// As written, with back-ticks if it has them.
        var name: String
        /// The name in the store.
        var attributeName: String
        /// The property's type without optional.
        var type: String
        var isOptional: Bool
        var access: Access
        var coding: Coding
        /// What older records hold, if it is a literal.
        var defaultValue: String?
        /// The rule as written, if there is one.
        var onDelete: String?
        /// Whether it is changed alike on both sides without a conflict.
        var isAgreeing = false
        /// Whether large values are kept in files of their own.
        var isExternal = false
        /// The expression of `.external(from: 4096)`.
        var externalSize: String?
        /// The names that the attribute had before.
        var earlierNames: [String] = []

        /// The name without back-ticks.
        var plainName: String { name.withoutBackticks }
    }

    enum Coding: Equatable {
        case plain
        case json
        case scaled(places: String)
    }

    struct Index: Equatable {
        /// Names in the store.
        var attributes: [String]
        var isUnique: Bool
        /// Names of foldings, in the order of ``RecordDescription/foldings``.
        var folding: [String] = []
    }

    /// A to-many relationship.
    struct Relationship {
        /// As written, with back-ticks if it has them.
        var name: String
        /// The related record's type.
        var target: String
        var access: Access

        /// The name without back-ticks, which the schema has.
        var plainName: String { name.withoutBackticks }
    }

    /// What an index can overlook.
    static let foldings = ["caseInsensitive", "diacriticInsensitive"]
}

extension String {
    var withoutBackticks: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
}
