/// The error of every part of Granary: a code to match on, and a message that says what happened and what to do next.
///
/// ```swift
/// do {
///     try await stack.write { try $0.insert(artist) }
/// } catch let error as GranaryError where error.code == .uniqueness {
///     print(error.entity ?? "", error.attributes)   // Artist ["name"]
/// }
/// ```
///
/// The same misuse gives the same code in every store. Stored values of users are never part of ``description``, except
/// keys that are numbers or UUIDs, so it may be logged. ``value`` is for people who may see the data.
public struct GranaryError: Error, Sendable {
    /// The reason of the failure. Match on this, never on the message.
    public var code: Code
    /// What happened and what to do next, in one or two sentences, without any stored value.
    public var message: String
    /// The entity the error is about, if it is about one.
    public var entity: String?
    /// The attributes of ``entity`` the error is about, in the order of the constraint, or empty.
    public var attributes: [String]
    /// The key of the record that the error is about, if one record is known; ``key`` returns it.
    package var knownKey: (any KeyOfError)?
    /// The value that the error is about, if one value is known: in one line and at most 60 characters, such as
    /// `1,234.00`. For example a value that an attribute refuses, a value that another record already has, or the key
    /// in a reference.
    ///
    /// It is data of the user, and not part of ``message`` or ``description``.
    public var value: String?
    /// How long the call has waited for another process or transaction before it gave up; nil of all errors but `busy`, and of
    /// those that did not wait.
    public var waited: Duration?
    /// The name of the capability that the store lacks: what `capability` gives.
    package var capabilityName: String?
    /// The place of the record or value in the source of an import, as `importPath` returns it.
    package var sourcePath: String?
    /// The engine's error, if the failure began there.
    public var underlying: EngineFailure?
    /// Further data for an extension that knows its type, such as ``conflicts``.
    package var details: (any Sendable)?

    public init(
        _ code: Code, _ message: String, entity: String? = nil, attributes: [String] = [],
        underlying: EngineFailure? = nil
    ) {
        self.code = code
        self.message = message
        self.entity = entity
        self.attributes = attributes
        self.underlying = underlying
    }

    /// The result of an engine's C call, for logs and for people who know that engine.
    public struct EngineFailure: Sendable, Hashable {
        /// `sqlite`, `lmdb` or `posix`.
        public var engine: String
        /// The engine's own number (SQLite: the extended result code).
        public var code: Int32
        /// The engine's own message.
        public var message: String

        public init(engine: String, code: Int32, message: String) {
            self.engine = engine
            self.code = code
            self.message = message
        }
    }
}

extension GranaryError {
    /// A name for a kind of failure. The set is open: a store may add its own.
    public struct Code: Hashable, Sendable, Codable, RawRepresentable, CustomStringConvertible {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        // Constraints
        /// Two records would have the same key, or the same values for a unique constraint.
        public static let uniqueness = Code(rawValue: "uniqueness")
        /// A required attribute would be nil.
        public static let required = Code(rawValue: "required")
        /// A value does not fit its attribute (too large an integer, NaN, too many digits).
        public static let range = Code(rawValue: "range")
        /// A reference names a record that does not exist.
        public static let danglingReference = Code(rawValue: "danglingReference")
        /// A record cannot be deleted because other records refer to it.
        public static let deniedDeletion = Code(rawValue: "deniedDeletion")
        /// No record has the key given to an update or a fetch.
        public static let recordNotFound = Code(rawValue: "recordNotFound")

        /// A record's own `validate()` has refused it.
        public static let invalidRecord = Code(rawValue: "invalidRecord")
        /// A record was changed in a context and in the store; see `conflicts`.
        public static let mergeConflict = Code(rawValue: "mergeConflict")

        // Names and types
        public static let unknownEntity = Code(rawValue: "unknownEntity")
        public static let unknownAttribute = Code(rawValue: "unknownAttribute")
        /// A value has a type other than the attribute's.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// The schema itself breaks a rule (a name, two keys, a relationship to an entity it lacks).
        public static let invalidSchema = Code(rawValue: "invalidSchema")
        /// A query breaks a rule or a limit (nesting, number of terms, a negative limit).
        public static let invalidQuery = Code(rawValue: "invalidQuery")
        /// A search needs a tokenizer that the program does not have.
        public static let missingTokenizer = Code(rawValue: "missingTokenizer")
        /// A tokenizer has thrown an error or broken a rule. Nothing was changed.
        public static let tokenizerFailed = Code(rawValue: "tokenizerFailed")

        // Opening
        /// The store on disk was made with another schema.
        public static let schemaMismatch = Code(rawValue: "schemaMismatch")
        /// The seed is not the one that the store was made from, or has changed since. The store is unchanged.
        public static let seedMismatch = Code(rawValue: "seedMismatch")
        /// A step of a migration plan threw. The store is unchanged.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// The store was written by a newer version of Granary.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The path has no Granary store, or has a store of another kind.
        public static let notAStore = Code(rawValue: "notAStore")
        /// The path cannot hold a store (it is empty, its parent folder is missing, or a file is where a folder should
        /// be).
        public static let invalidPath = Code(rawValue: "invalidPath")
        /// The operating system refused access.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        public static let readOnly = Code(rawValue: "readOnly")
        /// The same store is open in this process with other options.
        public static let alreadyOpen = Code(rawValue: "alreadyOpen")

        // Reading and importing
        /// The input does not follow the rules of its format (JSON, CSV, gzip). The message says where.
        public static let invalidInput = Code(rawValue: "invalidInput")

        // Running
        /// Stored bytes are damaged. No record or value is made from them.
        public static let corrupt = Code(rawValue: "corrupt")
        /// Another process or transaction held the store for longer than the time-out.
        public static let busy = Code(rawValue: "busy")
        /// The disk, the map or a limit of the store is full. The transaction was rolled back, no stored data was lost.
        public static let full = Code(rawValue: "full")
        /// Any other input or output error.
        public static let io = Code(rawValue: "io")
        /// The stack, snapshot, transaction or cursor has ended.
        public static let closed = Code(rawValue: "closed")
        /// `ReadContext.main` was used before a default stack was set.
        public static let noDefaultStack = Code(rawValue: "noDefaultStack")
        /// The store was reset or replaced since this object was made.
        public static let generationGone = Code(rawValue: "generationGone")
        /// The requested part of the history is not kept any more.
        public static let historyGone = Code(rawValue: "historyGone")
        public static let cancelled = Code(rawValue: "cancelled")
        /// `write` was called inside `write` on the same stack.
        public static let reentrantWrite = Code(rawValue: "reentrantWrite")
        /// A cursor was stepped after the transaction it belongs to had written.
        public static let cursorInvalidated = Code(rawValue: "cursorInvalidated")
        /// The store lacks a capability. Nothing was changed.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A value, key or count exceeds a limit of the store.
        public static let limit = Code(rawValue: "limit")
        /// An integer result does not fit, or a number is divided by zero.
        public static let overflow = Code(rawValue: "overflow")
        /// The engine failed at commit, and Granary could not find out whether the commit is in the store.
        public static let commitOutcomeUnknown = Code(rawValue: "commitOutcomeUnknown")
    }
}

extension GranaryError: CustomStringConvertible {
    /// The code and the text of ``errorDescription``.
    public var description: String { "\(code): \(text(atPlace: true))" }

    /// The code and the text for a reader who may see the data: with the key, of any type, and the ``value``.
    ///
    /// - Parameter atPlace: Whether the text has the place of the error in the source of an import.
    package func descriptionWithData(atPlace: Bool) -> String {
        "\(code): \(text(atPlace: atPlace, hasData: true))"
    }

    private func text(atPlace: Bool, hasData: Bool = false) -> String {
        var text = message
        let about = attributes.map { name in entity.map { "\($0).\(name)" } ?? name }
        var parts = about.isEmpty ? entity.map { [$0] } ?? [] : about
        if entity != nil, let key = hasData ? knownKey?.textOfData : knownKey?.textOfError {
            parts.append("key \(key)")
        }
        if hasData, let value { parts.append("value \"\(value)\"") }
        if entity != nil || hasData && value != nil { text += " [\(parts.joined(separator: ", "))]" }
        if atPlace, let sourcePath { text += " (at \(sourcePath))" }
        if let underlying {
            text += " (\(underlying.engine) \(underlying.code): \(underlying.message))"
        }
        return text
    }
}

extension GranaryError: LocalizedError {
    /// The message, which says what to do next, the entity, the attributes and the engine's message, in English.
    /// `localizedDescription` shows it. It contains no stored value.
    public var errorDescription: String? { text(atPlace: true) }
}

/// The key of a record in an error.
package protocol KeyOfError: Sendable {
    /// The key for the text of an error; nil if it may be a name or an address, which no text shows.
    var textOfError: String? { get }
    /// The key for a reader who may see the data, in one line.
    var textOfData: String? { get }
}

extension GranaryError {
    /// The same error with the engine's error added.
    public func causedBy(_ engine: String, _ code: Int32, _ message: String) -> GranaryError {
        var error = self
        error.underlying = EngineFailure(engine: engine, code: code, message: message)
        return error
    }

    /// The same error with the entity and the attribute it is about.
    package func about(_ entity: String, _ attribute: String) -> GranaryError {
        var error = self
        error.entity = entity
        error.attributes = [attribute]
        return error
    }

    /// The same error with the value it is about; unchanged if the value is nil.
    package func with(value: String?) -> GranaryError {
        var error = self
        error.value = value?.shortened ?? self.value
        return error
    }

    /// The same error with the entity it is about.
    package func about(_ entity: String) -> GranaryError {
        var error = self
        error.entity = entity
        return error
    }
}
