/// An order of the records that a search finds.
public enum SearchOrder: Sendable, Hashable {
    /// By how well they answer the search, the best first.
    case rank
}
