/// What happens to a ``MergeConflict`` when a context is saved or refreshed.
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
/// An attribute also counts as changed on both sides if both gave it the same value, unless the attribute or the policy
/// is ``agreeing``. A record that is deleted on both sides is no conflict. Other attributes are merged, except under
/// `overwrite` and `rollBack`, which take the whole record: `overwrite` takes it as it was after the context's last
/// change of it.
///
/// Links of many-to-many relationships and the places that order a list are merged under every policy: a link made on
/// both sides is one link, a link that one side removes is removed, and two orders are merged into one.
///
/// If another record has taken a value of a unique constraint, every policy throws, except: `storeWins` and `rollBack`
/// give up the context's change of that record, and a closure's replacement is tried once. References to a new record
/// that is given up lead to the record that has the value (``MergeConflict/holder``). An optional reference to a record
/// that was deleted one level up becomes nil under every policy, which is reported as
/// ``MergeConflict/Kind/targetDeleted``.
public struct MergePolicy: Sendable {
    enum Kind: Sendable {
        case error, storeWins, contextWins, overwrite, rollBack
        case closure(@Sendable (MergeConflict) throws -> Resolution)
    }

    /// The decision of a closure about one conflict.
    public enum Resolution: Sendable {
        case storeWins, contextWins, overwrite, rollBack
        /// Nothing is saved, and the error lists this conflict.
        case fail
        /// Saves this record as a whole. It must have the same key; ``MergeConflict/merged`` is a starting point.
        case replace(DynamicRecord)
    }

    let kind: Kind
    /// Whether equal changes of both sides are no conflict.
    private(set) var isAgreeing = false

    init(kind: Kind) { self.kind = kind }

    public static let error = MergePolicy(kind: .error)
    public static let storeWins = MergePolicy(kind: .storeWins)
    public static let contextWins = MergePolicy(kind: .contextWins)
    public static let overwrite = MergePolicy(kind: .overwrite)
    public static let rollBack = MergePolicy(kind: .rollBack)

    /// Calls a closure for each conflict. If the closure throws, the save throws that error and has saved nothing.
    ///
    /// The closure runs while the store is written to: it must not call the stack or a context.
    public static func resolving(_ body: @escaping @Sendable (MergeConflict) throws -> Resolution) -> MergePolicy {
        MergePolicy(kind: .closure(body))
    }

    /// The same policy, except that agreement is no conflict: if both sides changed an attribute to the same value, or
    /// inserted a record with the same values, nothing is reported. For writers of facts, such as two imports of one
    /// file.
    ///
    /// ```swift
    /// context.mergePolicy = .error.agreeing
    /// ```
    ///
    /// Do not use it for counters: if both sides add 1 to the same value, one addition is lost. A single attribute is
    /// declared with ``Attribute/agreeing()``, or in a record of the macro with `@Attribute(.agreeing)`.
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
