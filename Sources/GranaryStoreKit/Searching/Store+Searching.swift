extension Store {
    /// The store with indexes of words for its searchable attributes, which are made if they are missing. For providers
    /// that do not open their stores with ``FolderStores``.
    package func answeringSearches() throws -> any Store { try SearchedStore.over(self) }
}
