/// The records related to one record: what `artist.songs` is; by names what `record.related("songs")` gives.
///
/// ```swift
/// let known = try playlist.songs.all.where { $0.plays > 100 }.limit(10).fetch(in: snapshot)
/// try playlist.songs.add(song, in: tx)
/// ```
///
/// A value that holds the owner's key and nothing that was fetched, so that it is always as current as the context that
/// is asked for the records.
public struct RelatedRecords<Root: Fetchable, Target: Fetchable>: Sendable, Hashable {
    /// The key of the record that they are related to.
    public let owner: Root.Key
    /// The way from the one to the others.
    public let relationship: Relationship

    public init(of owner: Root.Key, _ relationship: Relationship) {
        self.owner = owner
        self.relationship = relationship
    }
}
