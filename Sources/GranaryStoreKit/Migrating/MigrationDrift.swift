/// Why a plan does not fit the steps that a store has applied: carried by an error with the code `schemaMismatch` as
/// ``GranaryError/migrationDrift``.
public enum MigrationDrift: Sendable, Hashable {
    /// The store has applied a step whose text has changed since.
    case edited(name: String, taken: String, now: String)
    /// The store has applied a step that the plan does not have.
    case unknown(AppliedStep)
    /// The plan has a step that the store has not applied, before one that it has applied.
    case outOfOrder(String, before: String)
    /// The store has not applied steps that the plan has squashed.
    case squashed([String])
    /// The store has applied a step after the end of the plan, and that step cannot be undone.
    case noWayBack(String)
    /// The steps, or the last release, end in another schema than the program's.
    case schema(SchemaDifference)
    /// The release has no schema, and is not the last one of the plan.
    case releaseWithoutSchema(String)

    var error: GranaryError {
        let message =
            switch self {
            case .edited(let name, let taken, let now):
                "The step \"\(name)\" of the migration plan was edited after the store took it. It said: \(taken). It says: \(now). Restore its text, and write the change as a new step at the end."
            case .unknown(let step):
                "The store has taken \(step.words), which the migration plan does not have. Open the store with the program that has it, or name it in squashing:."
            case .outOfOrder(let step, let later):
                "The step \"\(step)\" stands before \"\(later)\", which the store has taken already. Move \"\(step)\" to the end of the plan."
            case .squashed(let names):
                "The store has not taken the squashed steps \(names.map { "\"\($0)\"" }.joined(separator: ", ")). Open it first with a program that has them."
            case .noWayBack(let name):
                "The store has taken the step \"\(name)\", which comes after the end of the migration plan and has no way back. Give it one with down(_:), or let the plan end later."
            case .schema(let difference):
                "The last step of the migration plan reaches another schema than the program's: \(difference.changes.prefix(8).map(\.description).joined(separator: "; ")). Add a release or a step that leads to the program's schema, or remove the schema of the last one."
            case .releaseWithoutSchema(let name):
                "The release \"\(name)\" of the migration plan is not the last one, and has no schema. Pass the schema that the program had then: release(_:schema:) takes it from a file of `granary schema --json`."
            }
        var error = GranaryError(.schemaMismatch, message)
        error.details = self
        return error
    }
}

extension GranaryError {
    /// For a `schemaMismatch` error: why a migration plan does not fit a store. Nil for any other error.
    public var migrationDrift: MigrationDrift? { details as? MigrationDrift }
}

extension AppliedStep {
    /// `the step "moods"`, or `the release "2.0"`.
    fileprivate var words: String {
        "the \(text == MigrationStep.release(name, nil).text ? "release" : "step") \"\(name)\""
    }
}
