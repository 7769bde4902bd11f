/// What an object of the source has for a relationship of its record, or for a reference.
struct Member {
    let slot: EntityPlan.Slot
    /// The key in the source, or the name of what the slot stands for.
    let name: String
    /// What the source has, where a reader has put it: what is nested in it is staged from there.
    let content: ImportContent

    init(_ slot: EntityPlan.Slot, _ name: String, _ content: ImportContent) {
        (self.slot, self.name, self.content) = (slot, name, content)
    }

    init(_ slot: EntityPlan.Slot, _ name: String, _ value: ImportValue) { self.init(slot, name, .value(value)) }

    /// A tree, made each time it is asked for.
    var value: ImportValue { content.value }
}

/// Where an object of the source stands.
struct Origin {
    let place: ImportPlace
    /// The record of the source that the object is part of, by its place in the batch.
    let item: Int
    /// The number of objects that it is nested in.
    var depth = 0
    /// Whether the object only names a record.
    var isNamedOnly = false
    /// The reference to the record whose list the object is in.
    var owner: OpenReference?
    /// The reference that has the object, if the object may stand for the record that it refers to in the store.
    var holder: OpenReference?

    /// Where an object or a value stands that is nested in this one.
    func nested(
        at place: ImportPlace, isNamedOnly: Bool = false, owner: OpenReference? = nil, holder: OpenReference? = nil
    ) -> Origin {
        Origin(place: place, item: item, depth: depth + 1, isNamedOnly: isNamedOnly, owner: owner, holder: holder)
    }
}

/// An object of the source that is being staged.
struct SourceObject {
    let plan: EntityPlan
    /// The row that takes its values; that of its record once it is known.
    var row: Int
    let content: ImportContent
    let origin: Origin
    /// What it has for references and relationships.
    var related: [Member] = []
    /// The object as what is nested in it sees it; nil if nothing is.
    var parent: ParentObject?
    /// What it has for relationships that are looked for at the end.
    var searches: [FoundNames] = []
    /// Whether the store has told its key: its record is found by this key alone.
    var isFound = false
    /// What it is known by if a query has found no record for it.
    var sought: [OpenIdentity] = []

    init(_ plan: EntityPlan, _ row: Int, _ content: ImportContent, _ origin: Origin) {
        (self.plan, self.row, self.content, self.origin) = (plan, row, content, origin)
    }

    var place: ImportPlace { origin.place }
    var item: Int { origin.item }

    func isGiven(_ position: Int) -> Bool { plan.stage.isGiven(row, position) }

    func has(_ name: String) -> Bool { !related.isEmpty && related.contains { $0.name == name } }

    mutating func removeRelated(_ name: String) {
        if !related.isEmpty { related.removeAll { $0.name == name } }
    }
}
