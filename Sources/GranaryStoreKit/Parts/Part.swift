/// A part of a stack: some record types, and the store that keeps them. Passed to ``PartsProvider``.
///
/// ```swift
/// let stack = try await Stack(
///     Schema(Genre.self, Artist.self, Playlist.self),
///     store: .parts(
///         .sqlite(at: own), Part("catalogue", Genre.self, Artist.self, in: .sqlite(at: catalogue, options: .readOnly))))
/// ```
///
/// The links of a many-to-many relationship are kept with the record type that owns them.
public struct Part: Sendable {
    /// The name, which the first part keeps: letters, digits and `_`.
    public let name: String
    let provider: any StoreProvider
    /// The names of the entities that it names; empty for a part that chooses.
    let entities: Set<String>
    /// Chooses entities by their names; nil for a part that names them.
    let chooses: (@Sendable (_ entity: String) -> Bool)?
    /// What happens if the part was made for other record types; nil for the policy of the stack.
    let migration: MigrationPolicy?

    /// A part with record types.
    ///
    /// - Parameters:
    ///   - name: The name of the part: letters, digits and `_`. Keep it, also when the part moves to another place.
    ///   - types: The record types that it keeps.
    ///   - provider: The kind and the place of its store.
    ///   - migration: What happens if the store was made for other record types. By default the policy of the stack; of
    ///     a plan only ``MigrationPolicy/inferred``, because the steps of a plan are for the first part.
    public init(
        _ name: String, _ types: any Record.Type..., in provider: some StoreProvider, migration: MigrationPolicy? = nil
    ) {
        self.init(name, types.map { $0.entity.name }, in: provider, migration: migration)
    }

    /// A part with the entities of these names: for a schema without Swift types.
    ///
    /// - Parameters:
    ///   - name: The name of the part.
    ///   - entities: The names of the entities that it keeps.
    ///   - provider: The kind and the place of its store.
    ///   - migration: What happens if the store was made for other entities; by default the policy of the stack.
    public init(
        _ name: String, _ entities: [String], in provider: some StoreProvider, migration: MigrationPolicy? = nil
    ) {
        (self.name, self.entities, self.provider, self.migration) = (name, Set(entities), provider, migration)
        chooses = nil
    }

    /// A part that chooses entities by their names: to try any schema in several parts.
    package init(
        _ name: String, in provider: some StoreProvider, choosing chooses: @escaping @Sendable (String) -> Bool
    ) {
        (self.name, self.provider, self.chooses) = (name, provider, chooses)
        (entities, migration) = ([], nil)
    }

    func has(_ entity: String) -> Bool { entities.contains(entity) || chooses?(entity) ?? false }

    private init(_ part: Part, reading provider: any StoreProvider) {
        (name, entities, chooses, migration) = (part.name, part.entities, part.chooses, part.migration)
        self.provider = provider
    }

    /// The same part for reading only.
    var readingOnly: Part { Part(self, reading: provider.readingOnly) }
}
