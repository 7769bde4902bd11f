/// The records related to one record: what `artist.songs` is.
///
/// A value that holds the owner's key and nothing that was fetched, so that it is always as current as the context that
/// is asked for the records.
public struct RelatedRecords<Root: Record, Target: Record>: Sendable, Hashable {
    /// The key of the record that they are related to.
    public let owner: Root.Key
    /// The way from the one to the others.
    public let relationship: Relationship

    public init(of owner: Root.Key, _ relationship: Relationship) {
        self.owner = owner
        self.relationship = relationship
    }
}
