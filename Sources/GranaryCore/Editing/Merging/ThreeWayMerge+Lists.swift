// Links and places in lists belong to the library. What two sides did to them is merged without a conflict: a link
// exists or does not exist, and two changed orders are merged into one (ListMerger).

extension ThreeWayMerge {
    /// The outcome for a record whose links or places alone were changed; nil if the attributes decide.
    func listOutcome() -> Outcome? {
        if rules.linked == nil && rules.lists.isEmpty { return nil }
        switch (change.base, change.current, store) {
        // A link that one side has removed is removed, even if the other has moved it.
        case (_?, nil, _?) where rules.linked != nil, (_?, _?, nil) where rules.linked != nil: return .merged(nil)
        case (nil, let mine?, let theirs?) where rules.haveSameEnds(mine, theirs): return .merged(theirs)
        // Deleted on one side and only moved on the other.
        case (let base?, nil, let other?), (let base?, let other?, nil):
            return rules.differInPlacesAlone(base, other) ? .merged(nil) : nil
        default: return nil
        }
    }
}
