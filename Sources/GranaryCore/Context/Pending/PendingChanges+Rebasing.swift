extension PendingChanges {
    /// What is left to save of these changes, which were `saved` at an earlier moment.
    ///
    /// A record that was changed again keeps that change, over what was saved; one that was set back while the save ran
    /// has to be set back there too.
    package func rebased(on saved: PendingChanges) -> PendingChanges {
        var rest = self
        for entity in saved.entities {
            for (key, done) in saved.changes(of: entity) {
                let now = change(key, of: entity)
                rest.put(
                    Change(base: done.current, current: now.map(\.current) ?? done.base), key, of: entity)
            }
        }
        return rest
    }
}
