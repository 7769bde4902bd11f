/// A record that takes part when it is written: to complete itself, or to keep other records in step.
///
/// ```swift
/// extension Song: RecordHooks {
///     mutating func willSave(in context: Context) throws {
///         title = title.trimmingCharacters(in: .whitespaces)
///         changed = Date()
///     }
///     static func didDelete(_ key: Int64, in context: Context) throws {
///         try context.insert(Deletion(entity: entityName, key: "\(key)"))
///     }
/// }
/// ```
///
/// Hooks run at the end of a write, before its commit, and once for each record, for what the whole write has done to it. It does
/// not matter how the record was written: by itself, by `updateAll`, by an import, by name, in SQL, or by the delete rule of
/// another record. Changes of an ``EditContext`` get there when it is saved, and its hooks are those of the save. Seeds, resets,
/// copies and migrations ask no hooks.
///
/// First ``willSave(in:)`` is called for each record that is new or changed, by entity and key, then the others in the same order.
/// What hooks write belongs to the same commit, and hooks of records that they write run after them; a record that was asked
/// already is not asked again.
///
/// A hook that throws rolls the write back. Hooks do not run for a record whose stored values the type cannot read.
///
/// Cost: the changed records of such types are read again, before and after they are saved, and their keys are held
/// until the commit. A store must have ``Capability/changeRecording``; without it each write throws `unsupported`. Hooks belong to the record types that the stack was
/// opened with: a process that opens the store without them, such as the `granary` tool, runs none.
public protocol RecordHooks: Record {
    /// Called for a record that is new or changed. What it changes in the record is written, and validated. Does nothing by
    /// default.
    ///
    /// - Throws: An error of your own, which rolls the write back. If the key is changed, the write throws `invalidQuery`.
    mutating func willSave(in context: Context) throws
    /// Called for a new record. Does nothing by default.
    func didInsert(in context: Context) throws
    /// Called for a record that was there before and has changed. Does nothing by default.
    func didUpdate(in context: Context) throws
    /// Called for a record that is deleted. Does nothing by default.
    static func didDelete(_ key: Key, in context: Context) throws
}

extension RecordHooks {
    public mutating func willSave(in context: Context) throws {}
    public func didInsert(in context: Context) throws {}
    public func didUpdate(in context: Context) throws {}
    public static func didDelete(_ key: Key, in context: Context) throws {}
}
