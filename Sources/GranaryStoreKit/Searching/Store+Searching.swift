extension Store {
    /// The store with indexes of words for its searchable attributes, which are made if they are missing. A store that
    /// has them already, as one that ``FolderStores`` opens, stays as it is.
    package func answeringSearches() throws -> any Store { try SearchedStore.over(self) }
}
