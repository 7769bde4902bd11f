// A seed may have millions of records. Reading each, writing it again and making the indexes anew takes many times as
// long as copying what the engine keeps. So a new store is asked first whether it can take the seed as it is kept. It does
// so at the point where records would be copied, while no other code sees the store. How a generation is made, how it
// goes live, and what is left when a process is killed are the same in both ways.

/// A store that can take the contents of another store of its kind as they are kept, rather than record by record: a
/// hook for seeds. ``StoreTransfer`` fills a store that does not conform.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `takeContents` | the store is as ``StoreTransfer`` would have made it; or false is returned, and nothing has changed |
/// | damage | a record that cannot be read is an error, or false is returned: then the copy of the records says it |
package protocol ContentsTaking: Store {
    /// Takes records, indexes and assigned keys of one state of a store that needs no conversion, in one commit. The
    /// history is not taken.
    ///
    /// - Parameters:
    ///   - source: The store, open. Others may write to it meanwhile.
    ///   - end: The number that the commit gets, and the least that the last assigned keys are. References are not
    ///     looked at.
    /// - Returns: False if the store cannot do that with this source. Nothing has changed then.
    /// - Throws: `corrupt`, `full`, `io`, `cancelled`. The store is thrown away then.
    func takeContents(of source: any Store, ending end: FillingEnd) throws -> Bool
}

extension Schema {
    /// Whether a store may keep the same record in the same bytes with this schema and with another: they mean the same,
    /// and give the same numbers in the same order. The store must check what else decides that.
    package func hasRows(of other: Schema) -> Bool {
        guard fingerprint == other.fingerprint, entities.count == other.entities.count else { return false }
        return zip(entities, other.entities).allSatisfy { mine, theirs in
            guard mine.name == theirs.name, mine.id == theirs.id else { return false }
            guard mine.attributes.map(\.name) == theirs.attributes.map(\.name) else { return false }
            return mine.attributes.map(\.id) == theirs.attributes.map(\.id)
        }
    }
}

extension SchemaMigration {
    /// Has a new store take a seed as it is kept, if no record is converted and the store can do that.
    ///
    /// - Returns: Whether it was done.
    func take(_ seed: any Store, into new: any Store, replacing old: (any StoreReader)?) throws -> Bool {
        guard keepsRows, steps.isEmpty, let new = new as? any ContentsTaking else { return false }
        let source = try (seed as? SharedStore)?.current() ?? seed
        let keys = try old?.lastAssignedKeys() ?? [Int64](repeating: 0, count: new.schema.entities.count)
        return try new.takeContents(
            of: source,
            ending: FillingEnd(
                transactionNumber: StoredCount.next(after: old?.transactionNumber ?? 0), lastAssignedKeys: keys,
                checksReferences: false))
    }
}

extension GranaryError {
    /// The error for a copy in which other records are found than were written to it.
    package static func copyDiffers(_ entity: Entity, found: Int, written: Int) -> GranaryError {
        GranaryError(
            .corrupt,
            "The copy does not hold what was written to it: \(found) records of \(entity.path) for \(written). Nothing was replaced. Check the disk and the memory of the machine, and try again.",
            about: entity)
    }
}
