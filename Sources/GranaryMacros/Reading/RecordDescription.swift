import SwiftSyntax

/// The result of ``RecordReader``: all facts needed to write a record's members.
struct RecordDescription {
    /// As written, with back-ticks if it has them.
    var typeName: String
    var entityName: String
    /// The former names of the entity.
    var earlierNames: [String]
    var access: Access
    /// In the order of declaration, which is the order of values in a row.
    var properties: [Property]
    var keyIndex: Int
    /// Whether the store assigns the keys.
    var isKeyAssigned: Bool
    /// The stored name of the attribute that counts changes, if there is one.
    var versionName: String?
    var indexes: [Index]
    /// The expression of `@Record(words:)`, if it is given.
    var wordRules: String?
    /// In the order of declaration.
    var relationships: [Relationship]
    /// Whether the struct has an `id` of its own in addition to the key.
    var declaresID: Bool
    /// Whether the compiler gives the struct a memberwise initializer.
    var isMemberwise: Bool
    /// Whether no property was left out because of a mistake, which the compiler reports.
    var isComplete: Bool

    var key: Property { properties[keyIndex] }

    /// A stored property that becomes an attribute.
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
        /// The default for older records, if it is a literal or a case of an enum.
        var defaultValue: String?
        /// The rule as written, if there is one.
        var onDelete: String?
        /// Whether equal changes on both sides are no conflict.
        var isAgreeing = false
        /// The case of `Attribute.Stamp`, if the stack sets the time.
        var stamp: String?
        /// The arguments of `.searchable(weight: 3)`; nil if the words are not searched.
        var searchArguments: String?
        /// Whether large values are kept in separate files.
        var isExternal = false
        /// The expression of `.external(from: 4096)`.
        var externalSize: String?
        /// The former names of the attribute.
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

        /// The name without back-ticks, as in the schema.
        var plainName: String { name.withoutBackticks }
    }

    /// The foldings of an index.
    static let foldings = ["caseInsensitive", "diacriticInsensitive"]
}

extension String {
    var withoutBackticks: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
}
