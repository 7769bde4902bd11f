extension Record {
    /// Words that the searchable attributes of the records have: to complete a search while it is typed, or to correct
    /// it.
    ///
    /// ```swift
    /// let words = try Song.words(.beginning(with: "hend"), in: snapshot)      // hendrix, henderson
    /// let meant = try Song.words(.like("hendrx"), limit: 1, in: snapshot)     // hendrix
    /// ```
    ///
    /// Cost: the words of the index with these first letters are looked at, for `.like` all words; without an index, or
    /// in a context with changed records of the type, all records.
    ///
    /// - Throws: `invalidQuery` if the type has no searchable attribute.
    public static func words(
        _ choice: WordChoice, limit: Int = 10, in context: ReadContext
    ) throws -> [FoundWord] {
        try context.words(choice, of: context.entity(of: Self.self), limit: limit)
    }
}

extension ReadContext {
    /// The same for an entity, by its name.
    public final func words(_ choice: WordChoice, of entity: String, limit: Int = 10) throws -> [FoundWord] {
        try words(choice, of: schema.position(ofEntity: entity), limit: limit)
    }

    /// The sizes of the indexes of words that the store has, as they are committed. A type that is searched in its
    /// records, because it has no index, is not listed.
    ///
    /// ```swift
    /// for index in try snapshot.wordIndexes() { print(index.entity, index.words, index.bytes) }
    /// ```
    ///
    /// Cost: reads the indexes.
    public final func wordIndexes() throws -> [WordIndexSize] {
        try checkOpen()
        guard let reader = reader as? any WordCounting else { return [] }
        return try schema.entities.indices.compactMap { try reader.wordIndexSize(of: $0) }
    }

    final func words(_ choice: WordChoice, of entity: Int, limit: Int) throws -> [FoundWord] {
        try checkOpen()
        return try reader.words(choice, of: entity, limit: limit)
    }
}
