/// A to-many relationship inside a query: what `$0.songs` is.
public struct Related<Root: Record, Target: Record>: Sendable {
    /// Its name, or a path to it through to-one relationships: `artist.songs`.
    public let path: String

    public init(_ path: String) { self.path = path }
}
