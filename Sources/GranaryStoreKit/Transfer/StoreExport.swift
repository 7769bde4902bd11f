/// A form that all records of a store are written in, for other programs: what `export(to:)` of a stack takes. `GranarySQLite` has
/// `.sqliteFile(at:)`.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `write` | all records of the reader's state, or nothing at the place; never replaces what is there |
public protocol StoreExport: Sendable {
    /// Writes the records of one state of a store. Blocks.
    ///
    /// A ``RecordCounter`` says how far it has come, and ends it when it is cancelled.
    ///
    /// - Throws: `invalidPath` if something is there already; nothing is left of what was written if it throws.
    func write(_ reader: any StoreReader) throws
}
