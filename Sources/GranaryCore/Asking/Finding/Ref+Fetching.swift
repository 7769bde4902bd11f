extension Ref {
    /// The record that the reference names, or nil if it does not exist.
    ///
    /// ```swift
    /// let genre = try artist.genre?.fetch(in: snapshot)
    /// ```
    public func fetch(in context: ReadContext) throws -> Target? { try context.find(self) }
}
