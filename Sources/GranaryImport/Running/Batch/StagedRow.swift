import GranaryCore

/// What is known of a row of the batch besides its cells.
struct StagedRow {
    enum Outcome {
        case waiting, writing
        case inserted, updated, unchanged
        case skipped, failed
    }

    var place: ImportPlace
    /// The object, for the hooks of its type.
    var value: ImportValue?
    /// The record of the source that it is part of, by its place in the batch.
    var item: Int
    /// Further records of the source that say something of it.
    var moreItems: [Int] = []
    /// Whether the source only names the record.
    var isNamedOnly: Bool
    /// Whether the source has the record, although its object is skipped.
    var isKept = false
    /// Whether it is told by a reference to a record whose key is not known which record it is: a new one.
    var isOpen = false
    /// Whether the store has told its key, by which alone it is looked up.
    var isFound = false
    /// Whether a record that is only named is made if it does not exist.
    var makesStub = false
    /// The identity by which it is looked up; nil if it has none.
    var identity: Int?
    /// The row of the same record that came before, and has what this one was given.
    var mergedInto: Int?
    var existing: StoredRow?
    /// Whether it has placeholders for its unique values, so that it must be written.
    var hasPlaceholders = false
    /// Whether objects of the batch give one attribute several values, so that at least one of them changes the record.
    var isChanged = false
    /// Whether an earlier object of the import, in a batch before, was for the record.
    var wasCounted = false
    /// Known of records that exist or whose key the source gives, and of all that are written.
    var key: StoredValue?
    var outcome = Outcome.waiting
    /// The first and last of its references among the plan's, which are chained.
    var references: (first: Int, last: Int)?

    /// Whether it was not in the store before the batch.
    var isNew: Bool { if case .unchanged = outcome { false } else { existing == nil } }

    /// Whether an object of a record of the source is for it.
    func isSaid(by other: Int) -> Bool { !isNamedOnly && (item == other || moreItems.contains(other)) }

    var isWritten: Bool {
        switch outcome {
        case .inserted, .updated, .unchanged: true
        default: false
        }
    }

    /// Becomes a record of the source, of which the row so far was only the name.
    mutating func take(_ other: StagedRow) {
        isNamedOnly = false
        place = other.place
        value = other.value
        item = other.item
        moreItems = other.moreItems
    }

    /// Notes that a further record of the source says something of it.
    mutating func add(_ other: Int) { if other != item && moreItems.last != other { moreItems.append(other) } }
}

/// An attribute that refers to a record of the same batch.
struct StagedReference {
    let position: Int
    /// The position of the target's entity.
    let entity: Int
    /// The target; nil if the cell says it all: it is null, or a key that need not exist.
    let row: Int?
    /// The record of the source that says so, by its place in the batch.
    let item: Int
    let missing: ImportMissing
    /// Whether this reference was made from a parent's to-many list.
    let isInverse: Bool
    let place: ImportPlace
    /// Whether the target may come later.
    var isWaiting = false
    var next: Int?
}

/// The members of a to-many relationship of a record of the batch.
struct StagedList {
    /// The position of the owner's entity.
    let entity: Int
    let row: Int
    /// By its place among the entity's.
    let relationship: Int
    let target: Int
    var members: [Int]
    let rule: RelationshipRule
    /// The record of the source that says so, by its place in the batch.
    let item: Int
    let place: ImportPlace
}

/// A record of the source and its number among all.
struct NumberedItem {
    var number: Int
    let item: ImportItem
}
