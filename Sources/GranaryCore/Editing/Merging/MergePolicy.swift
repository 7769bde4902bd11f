/// What becomes of a ``MergeConflict`` when a context is saved or refreshed.
///
/// | policy | attributes changed on both sides | changed here, deleted there | deleted here, changed there | inserted on both sides | a required reference made here to what was deleted there |
/// |---|---|---|---|---|---|
/// | ``error`` (the default) | throws, nothing is saved | throws | throws | throws | throws |
/// | ``storeWins`` | the store's | stays deleted | stays, as the store has it | the store's | the store's; a new record is given up |
/// | ``contextWins`` | the context's | inserted again | deleted | the context's | throws |
/// | ``overwrite`` | the context's record as a whole | inserted again | deleted | the context's | throws |
/// | ``rollBack`` | the store's record as a whole | stays deleted | stays | the store's | the store's record as a whole; a new record is given up |
/// | ``resolving(_:)`` | asks | asks | asks | asks | asks |
///
/// An attribute is changed on both sides also if both gave it the same value, where neither it nor the policy is
/// ``agreeing``. A record that is deleted on both sides is no conflict. Other attributes are merged, but for `overwrite` and
/// `rollBack`, which take a record in conflict whole: `overwrite` as it was after the context's last change of it.
///
/// Links of many-to-many relationships and the places that order a list are merged under every policy: a link made on both
/// sides is one, one that is ended on one side is ended, and of two orders one is made.
///
/// A value of a unique constraint that another record has taken is an error under every policy but `storeWins` and
/// `rollBack`, which give up the context's change of that record, and a closure, whose replacement is tried once. What
/// refers to a new record that is given up refers to the record that has the value (``MergeConflict/holder``). An optional
/// reference to what was deleted there becomes nil under every policy, which is reported as
/// ``MergeConflict/Kind/targetDeleted``.
public struct MergePolicy: Sendable {
    enum Kind: Sendable {
        case error, storeWins, contextWins, overwrite, rollBack
        case closure(@Sendable (MergeConflict) throws -> Resolution)
    }

    /// What a closure decides about one conflict.
    public enum Resolution: Sendable {
        case storeWins, contextWins, overwrite, rollBack
        /// Nothing is saved, and the error lists this conflict.
        case fail
        /// The record as it shall be, whole, with the same key: ``MergeConflict/merged``, changed.
        case replace(DynamicRecord)
    }

    let kind: Kind
    /// Whether what both sides changed alike is no conflict.
    private(set) var isAgreeing = false

    init(kind: Kind) { self.kind = kind }

    public static let error = MergePolicy(kind: .error)
    public static let storeWins = MergePolicy(kind: .storeWins)
    public static let contextWins = MergePolicy(kind: .contextWins)
    public static let overwrite = MergePolicy(kind: .overwrite)
    public static let rollBack = MergePolicy(kind: .rollBack)

    /// Asks for each conflict. An error that the closure throws is thrown by the save, which then has saved nothing.
    ///
    /// The closure runs while the store is written to: it must not call the stack or a context.
    public static func resolving(_ body: @escaping @Sendable (MergeConflict) throws -> Resolution) -> MergePolicy {
        MergePolicy(kind: .closure(body))
    }

    /// The same policy where agreement is harmless: what both sides changed to the same value, or inserted with the same
    /// values, is no conflict and not reported. For writers of facts, such as two imports of one file.
    ///
    /// ```swift
    /// context.mergePolicy = .error.agreeing
    /// ```
    ///
    /// Not for what is counted: of two that add 1 to the same value one is lost. A single attribute says it with
    /// ``Attribute/agreeing()``, in a record of the macro with `@Attribute(.agreeing)`.
    public var agreeing: MergePolicy {
        var policy = self
        policy.isAgreeing = true
        return policy
    }

    func resolution(of conflict: MergeConflict) throws -> Resolution {
        switch kind {
        case .error: .fail
        case .storeWins: .storeWins
        case .contextWins: .contextWins
        case .overwrite: .overwrite
        case .rollBack: .rollBack
        case .closure(let body): try body(conflict)
        }
    }
}
