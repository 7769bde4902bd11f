import GranaryCore

/// A list whose members are known by their keys.
struct SettledList {
    let owner: ListPlace
    /// Nil of a list that has waited.
    let ownerRow: Int?
    let isNew: Bool
    var members: [StoredValue]
    /// The rows of the members; nil of a list that has waited.
    var memberRows: [Int]?
    var rule: RelationshipRule
    let place: ImportPlace
    /// Records that say themselves, later in the source, that they are related.
    var claimed: Set<StoredValue> = []
}

/// What a record says of its owner, and in which record of the source.
struct Claim {
    let member: StoredValue
    let item: Int
}
