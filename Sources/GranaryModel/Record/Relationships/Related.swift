/// A to-many relationship by name and with its types: the type of `$0.songs` in a query.
///
/// ```swift
/// struct Fields: Sendable {
///     let name = Field<Artist, String>("name")
///     var songs: Related<Artist, Song> { Related("songs") }
/// }
/// ```
public struct Related<Root: Record, Target: Record>: Sendable, Hashable {
    /// The relationship's name, or the path to it through to-one relationships: `songs`, `artist.songs`.
    public let path: String

    public init(_ path: String) { self.path = path }
}
