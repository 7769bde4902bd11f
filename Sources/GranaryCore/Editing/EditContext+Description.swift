extension EditContext: CustomStringConvertible {
    /// This context and those above it, each with its name and the number of its pending changes, for logs and the
    /// debugger. Keys and values are not shown, and the store is not read.
    ///
    /// ```swift
    /// print(dialogue)
    /// // "dialogue" (1 inserted) over "editor" (2 updated, 1 deleted) over the store
    /// ```
    public var description: String {
        let own = "\(name.map { "\"\($0)\"" } ?? "an unnamed context") (\(pendingSummary))"
        return "\(own) over \(parent?.description ?? "the store")"
    }

    private var pendingSummary: String {
        var (inserted, updated, deleted, links) = (0, 0, 0, 0)
        let pending = overlay.pending
        for entity in pending.entities {
            for (_, change) in pending.changes(of: entity) {
                if overlay.mergeRules[entity].linked != nil {
                    links += 1
                } else {
                    switch change.kind {
                    case .inserted: inserted += 1
                    case .updated: updated += 1
                    case .deleted: deleted += 1
                    }
                }
            }
        }
        let counts = [
            (inserted, "inserted"), (updated, "updated"), (deleted, "deleted"), (links, links == 1 ? "link" : "links"),
        ]
        let shown = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return shown.isEmpty ? "no changes" : shown.joined(separator: ", ")
    }
}
