extension GranaryError {
    /// Whether the same work, begun again a little later, may succeed although nobody has corrected anything: another
    /// writer was faster, or held the store for too long.
    ///
    /// ```swift
    /// catch let error as GranaryError where error.isRetryable { response.status = .serviceUnavailable }
    /// ```
    ///
    /// The work must read its data anew; `retryingConflicts` repeats it. False for codes of other stores that Granary
    /// does not know.
    public var isRetryable: Bool { code.isRetryable }

    /// Whether the request is wrong: its values, its names or its query do not fit the schema or the stored records.
    /// The same request is refused each time, and neither the program nor the machine needs a repair. A server answers
    /// it with a status from 400 to 499.
    ///
    /// If the program itself made the request, the mistake is the program's. No error is both this and
    /// ``isRetryable``. False for codes of other stores that Granary does not know.
    public var isCallersMistake: Bool { code.isCallersMistake }
}

extension GranaryError.Code {
    /// Who can do something about an error.
    package enum Handling: Sendable {
        /// The same work may succeed when it is begun again.
        case retry
        /// The caller must send something else.
        case caller
        /// The program, the machine or the store must be corrected first, or nothing can be done.
        case other
    }

    /// The handling of each code of Granary.
    package static let handling: [GranaryError.Code: Handling] = [
        .uniqueness: .caller, .required: .caller, .range: .caller, .danglingReference: .caller,
        .deniedDeletion: .caller, .recordNotFound: .caller, .invalidRecord: .caller, .mergeConflict: .retry,
        .unknownEntity: .caller, .unknownAttribute: .caller, .typeMismatch: .caller, .invalidSchema: .other,
        .invalidQuery: .caller, .missingTokenizer: .other, .tokenizerFailed: .other,
        .schemaMismatch: .other, .seedMismatch: .other, .migrationFailed: .other, .newerFormat: .other,
        .notAStore: .other, .invalidPath: .other, .permissionDenied: .other, .readOnly: .other, .alreadyOpen: .other,
        .invalidInput: .caller, .corrupt: .other, .busy: .retry, .full: .other, .io: .other, .closed: .other,
        .noDefaultStack: .other, .generationGone: .other, .historyGone: .other, .cancelled: .other,
        .reentrantWrite: .other, .cursorInvalidated: .other, .unsupported: .other, .limit: .caller,
        .overflow: .caller, .commitOutcomeUnknown: .other,
    ]

    var isRetryable: Bool { Self.handling[self] == .retry }
    var isCallersMistake: Bool { Self.handling[self] == .caller }
}
