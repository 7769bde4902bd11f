// Links and places in lists are the library's own. What two sides did to them is merged without asking: a link is there or
// not, and of an order that both have changed one is made (ListMerger).

extension ThreeWayMerge {
    /// What becomes of a record whose change is of links or places alone; nil where the attributes decide.
    func listOutcome() -> Outcome? {
        if rules.linked == nil && rules.lists.isEmpty { return nil }
        switch (change.base, change.current, store) {
        // A link that one side has ended is ended, wherever the other has moved it.
        case (_?, nil, _?) where rules.linked != nil, (_?, _?, nil) where rules.linked != nil: return .merged(nil)
        case (nil, let mine?, let theirs?) where rules.haveSameEnds(mine, theirs): return .merged(theirs)
        // Deleted on one side and only moved on the other.
        case (let base?, nil, let other?), (let base?, let other?, nil):
            return rules.differInPlacesAlone(base, other) ? .merged(nil) : nil
        default: return nil
        }
    }
}
