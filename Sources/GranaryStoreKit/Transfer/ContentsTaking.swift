// A seed may have millions of records. Reading and writing each of them and making the indexes anew takes many times as
// long as copying the engine's data. So a new store is first asked whether it can take the seed's data directly. This
// happens at the point where records would be copied, while no other code sees the store. The making of a generation,
// its going live, and the left-overs of a killed process are the same in both cases.

/// A store that can take the contents of another store of its kind in the engine's own form, and not record by record:
/// a hook for seeds. ``StoreTransfer`` fills a store that does not conform.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `takeContents` | the store is as ``StoreTransfer`` would have made it; or it returns false, and nothing has changed |
/// | damage | for a record that cannot be read it throws, or returns false: then copying the records throws the error |
package protocol ContentsTaking: Store {
    /// Takes the records, indexes and assigned keys of one state of a store without any conversion, in one commit. The
    /// history is not taken.
    ///
    /// - Parameters:
    ///   - source: The open store. Others may write to it during the call.
    ///   - end: The number of the commit, and lower bounds for the last assigned keys. References are not checked.
    /// - Returns: False if the store cannot do that with this source. Nothing has changed then.
    /// - Throws: `corrupt`, `full`, `io`, `cancelled`. The store is thrown away then.
    func takeContents(of source: any Store, ending end: FillingEnd) throws -> Bool
}

extension Schema {
    /// Whether a store may keep the same record in the same bytes under both schemas: they have the same meaning, and
    /// the same numbers in the same order. The store must check its own further conditions.
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
    /// Makes a new store take a seed in the engine's own form, if no record is converted and the store can do that.
    ///
    /// - Returns: Whether the seed was taken.
    func take(_ seed: any Store, into new: any Store, replacing old: (any StoreReader)?) throws -> Bool {
        guard keepsRows, steps.isEmpty, let new = new as? any ContentsTaking else { return false }
        let shown = try (seed as? SharedStore)?.current() ?? seed
        let source = (shown as? SearchedStore)?.inner ?? shown
        let keys = try old?.lastAssignedKeys() ?? [Int64](repeating: 0, count: new.schema.entities.count)
        return try new.takeContents(
            of: source,
            ending: FillingEnd(
                transactionNumber: StoredCount.next(after: old?.transactionNumber ?? 0), lastAssignedKeys: keys,
                checksReferences: false))
    }
}

extension GranaryError {
    /// The error for a copy that does not have the records that were written to it.
    package static func copyDiffers(_ entity: Entity, found: Int, written: Int) -> GranaryError {
        GranaryError(
            .corrupt,
            "The copy does not hold what was written to it: \(found) records of \(entity.path) for \(written). Nothing was replaced. Check the disk and the memory of the machine, and try again.",
            about: entity)
    }
}
