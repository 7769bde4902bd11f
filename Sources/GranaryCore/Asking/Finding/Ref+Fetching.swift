extension Ref {
    /// The record it names, or nil if that is not there.
    ///
    /// ```swift
    /// let genre = try artist.genre?.fetch(in: snapshot)
    /// ```
    public func fetch(in context: ReadContext) throws -> Target? { try context.find(self) }
}
