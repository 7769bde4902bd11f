/// Hashes of each record of a batch, and of its loaded related records: for observers of records with loaded
/// relationships, which must detect that only related records have changed, and for which record.
final class LoadedHashes {
    private let seeds: RowDigest.Seeds
    private var digest: RowDigest
    /// The hash of each record's own row.
    private(set) var own: [UInt64] = []
    /// The hash of all loaded related records of each record.
    private(set) var related: [UInt64] = []

    init(_ seeds: RowDigest.Seeds) {
        self.seeds = seeds
        digest = RowDigest(seeds)
    }

    /// Empty hashes of the same observation, for another batch.
    var another: LoadedHashes { LoadedHashes(seeds) }

    /// Adds the next record of the batch.
    func add(_ row: borrowing Row) { add(digest.add(row)) }

    /// Adds the next record of the batch by the hash of its row.
    func add(_ hash: UInt64) {
        own.append(hash)
        related.append(0)
    }

    /// Adds the related records of one relationship. Their own loaded records must have been added to their hashes
    /// before.
    func add<Target>(_ batch: RelatedBatch<Target>) {
        guard let hashes = batch.batch.hashes else { return }
        for index in batch.places.indices {
            var hash = RowDigest.joined(related[index], UInt64(batch.places.count(at: index)))
            _ = batch.places.map(at: index) { place in
                hash = RowDigest.joined(RowDigest.joined(hash, hashes.own[place]), hashes.related[place])
            }
            related[index] = hash
        }
    }
}
