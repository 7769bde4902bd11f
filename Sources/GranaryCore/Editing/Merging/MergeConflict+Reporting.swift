import Logging

// A policy that settles a conflict drops one side's change. Where the caller is not given the result of a save, it is logged, so
// that no change disappears without a trace.

extension [MergeConflict] {
    /// Notes conflicts that a policy has settled, and hands them to who wants them.
    func report(to logger: Logger, _ name: String?, _ handler: (([MergeConflict]) -> Void)?) {
        if isEmpty { return }
        for conflict in self {
            logger.notice(
                "a merge conflict was settled by the merge policy",
                metadata: [
                    "context": "\(name ?? "unnamed")", "entity": "\(conflict.entity)", "key": "\(conflict.key)",
                    "attributes": "\(conflict.attributes.joined(separator: ", "))", "kind": "\(conflict.kind)",
                ])
        }
        handler?(self)
    }
}
