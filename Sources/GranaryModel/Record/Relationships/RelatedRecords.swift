/// The records related to one record: the type of `artist.songs`, and by names of `record.related("songs")`.
///
/// ```swift
/// let known = try playlist.songs.all.where { $0.plays > 100 }.limit(10).fetch(in: snapshot)
/// try playlist.songs.add(song, in: tx)
/// ```
///
/// The value holds the owner's key and no fetched records, so it is always as current as the context that reads them.
public struct RelatedRecords<Root: Fetchable, Target: Fetchable>: Sendable, Hashable {
    /// The key of the owner.
    public let owner: Root.Key
    /// The relationship that leads from the owner to the records.
    public let relationship: Relationship

    public init(of owner: Root.Key, _ relationship: Relationship) {
        self.owner = owner
        self.relationship = relationship
    }
}
