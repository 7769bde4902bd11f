extension Ref {
    /// The record it names, or nil if that is not there.
    ///
    /// ```swift
    /// let genre = try artist.genre?.fetch(in: snapshot)
    /// ```
    public func fetch(in context: ReadContext) throws -> Target? { try context.find(self) }

    /// The same in the main context of the default stack.
    @MainActor public func fetch() throws -> Target? { try Stack.reading { try fetch(in: $0) } }
}
