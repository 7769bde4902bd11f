import Granary

/// What stands behind a list of artists on screen.
@MainActor final class ArtistList {
    private let stack: Stack
    private let context: EditContext

    init(_ stack: Stack) throws {
        self.stack = stack
        context = try stack.mainContext
    }

    func artists() throws -> [Artist] { try context.fetch(Artist.sorted(by: \.name)) }

    @discardableResult func add(_ name: String) throws -> Artist { try context.insert(Artist(name: name)) }

    func rate(_ key: Artist.Key, _ rating: Double) throws {
        try context.update(Artist.self, key) { $0.rating = rating }
    }

    var canSave: Bool { context.hasChanges }
    func save() async throws { try await context.save() }
    func cancel() { context.rollback() }
}
