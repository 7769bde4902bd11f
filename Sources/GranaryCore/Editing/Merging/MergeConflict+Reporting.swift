import GranaryPlatform
import Logging

// A policy that settles a conflict drops one side's change. If the caller does not get the result of the save, the
// conflict is logged, so that no change disappears without a trace.

extension [MergeConflict] {
    /// Logs conflicts that a policy has settled, and passes them to the handler.
    func report(to logger: Logger, _ name: String?, _ handler: (([MergeConflict]) -> Void)?) {
        if isEmpty { return }
        for conflict in self {
            logger.notice(
                "a merge conflict was settled by the merge policy",
                metadata: [
                    "context": "\(name ?? "unnamed")", "entity": "\(conflict.entity)",
                    "key": "\(conflict.key.textOfError ?? "not shown")",
                    "attributes": "\(conflict.attributes.joined(separator: ", "))", "kind": "\(conflict.kind)",
                ])
        }
        handler?(self)
    }
}
