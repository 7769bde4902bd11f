/// Records that have the same values for attributes that were to become unique.
public struct DuplicateRecords: Sendable, Hashable {
    public let entity: String
    public let attributes: [String]
    /// The keys of records with the same values, one list for each combination of values: at most 100 keys in all.
    public private(set) var keys: [[StoredValue]] = []

    private let description: Entity
    private static let most = 100

    package init(_ entity: Entity, _ attributes: [String]) {
        description = entity
        (self.entity, self.attributes) = entity.named(attributes)
    }

    package var isFull: Bool { keys.joined().count >= DuplicateRecords.most }

    /// Adds two records with the same values. If `key` was added last, `other` joins its list; otherwise a new list
    /// begins.
    package mutating func add(_ key: StoredValue, _ other: StoredValue) {
        if keys.last?.last == key { keys[keys.count - 1].append(other) } else { keys.append([key, other]) }
    }

    /// The error to throw; nil if there are no such records.
    package var error: GranaryError? {
        guard let first = keys.first?.first else { return nil }
        let count = keys.joined().count
        var error = GranaryError(
            .uniqueness,
            "\(description.path(of: attributes.joined(separator: ", "))) cannot become unique: \(isFull ? "more than \(count - 1)" : "\(count)") records share their values with others. Make the values differ, or delete records, before the index is made unique.",
            about: description, attributes)
        error.knownKey = first
        error.details = self
        return error
    }
}

extension GranaryError {
    /// For a `uniqueness` error thrown while opening a store: the records with equal values. Nil for any other error.
    public var duplicates: DuplicateRecords? { details as? DuplicateRecords }
}
