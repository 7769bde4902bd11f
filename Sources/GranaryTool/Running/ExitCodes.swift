public import ArgumentParser
import GranaryCore

/// The meaning of a verb's exit code. The page "The tool" has the same table.
///
/// | code | name | meaning |
/// |---|---|---|
/// | 0 | | done; for `diff`, `plan --check` and `verify`: no difference, no fault |
/// | 1 | ``negative`` | the answer is no: contents or schemas differ, a store has faults, a record does not exist |
/// | 2 | ``unconfirmed`` | a destructive verb was not confirmed; nothing was done |
/// | 64 | ``usage`` | the arguments are wrong: a verb, an entity or an attribute does not exist, a query is invalid or compares values of different types |
/// | 65 | ``refused`` | the schema's rules refused a record, a value or a key, or an import left it out, or a file does not have its format |
/// | 66 | ``noStore`` | the path has no store or schema, or no new store can be made there |
/// | 69 | ``unsupported`` | this kind of store cannot do it |
/// | 70 | ``failed`` | any other failure |
/// | 74 | ``io`` | reading or writing failed, or the disk is full |
/// | 75 | ``busy`` | another process or transaction has the store: try again |
/// | 76 | ``newer`` | the store or schema was written by a newer version |
/// | 77 | ``denied`` | the system refused access, or the store is read-only |
/// | 78 | ``mismatch`` | the schema is invalid, or the store cannot be migrated to it |
/// | 79 | ``damaged`` | the store is damaged |
/// | 130, 143 | | SIGINT (Control-C) or SIGTERM ended the verb, and unfinished work was undone |
public enum ToolExit {
    public static let negative = ExitCode(1)
    public static let unconfirmed = ExitCode(2)
    public static let usage = ExitCode(64)
    public static let refused = ExitCode(65)
    public static let noStore = ExitCode(66)
    public static let unsupported = ExitCode(69)
    public static let failed = ExitCode(70)
    public static let io = ExitCode(74)
    public static let busy = ExitCode(75)
    public static let newer = ExitCode(76)
    public static let denied = ExitCode(77)
    public static let mismatch = ExitCode(78)
    public static let damaged = ExitCode(79)

    static func code(for error: GranaryError) -> ExitCode {
        switch error.code {
        case .recordNotFound: negative
        case .unconfirmed: unconfirmed
        case .usage, .unknownEntity, .unknownAttribute, .invalidQuery: usage
        case .uniqueness, .required, .range, .danglingReference, .deniedDeletion, .invalidRecord, .mergeConflict,
            .typeMismatch, .limit, .overflow, .invalidInput:
            refused
        case .notAStore, .invalidPath: noStore
        case .unsupported: unsupported
        case .full, .io, .commitOutcomeUnknown: io
        case .busy, .alreadyOpen, .generationGone: busy
        case .newerFormat: newer
        case .permissionDenied, .readOnly: denied
        case .schemaMismatch, .invalidSchema, .migrationFailed, .seedMismatch: mismatch
        case .corrupt: damaged
        default: failed
        }
    }
}
