/// A form in which all records of a store are written for other programs: the parameter of `export(to:)` of a stack.
/// `GranarySQLite` has
/// `.sqliteFile(at:)`.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `write` | writes all records of the reader's state, or nothing; never replaces anything |
public protocol StoreExport: Sendable {
    /// Writes the records of one state of a store. Blocks.
    ///
    /// A ``RecordCounter`` reports the progress, and throws when the work is cancelled.
    ///
    /// - Throws: `invalidPath` if something exists at the place; after an error nothing is left of what was written.
    func write(_ reader: any StoreReader) throws
}
