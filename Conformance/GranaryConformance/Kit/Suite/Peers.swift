package import GranaryCore
import GranaryMemory

// Copies and seeds go from one kind of store to another. A subject that brings no other kind is tried with the store in memory.

extension Trial {
    /// Stores of other kinds, which can do all of `requires`: the subject's own peers, or the store in memory if the subject
    /// has no peers and is not itself in memory.
    package func peers(requires: Set<Capability> = []) throws -> [ConformanceSubject] {
        var peers = subject.peers
        if peers.isEmpty, try kind() != "memory" { peers = [ConformanceSubject.inMemory.holding(held)] }
        return peers.filter { peer in requires.allSatisfy { peer.has($0) } }
    }

    /// ``peers(requires:)``, for a case that is about nothing else.
    ///
    /// - Throws: ``NotTested`` if no other kind can do all of `requires`.
    package func otherKinds(requires: Set<Capability> = []) throws -> [ConformanceSubject] {
        let peers = try peers(requires: requires)
        guard !peers.isEmpty else { throw NotTested(reason: "the subject has no peer, a store of another kind") }
        return peers
    }

    /// What the store calls its own kind.
    private func kind() throws -> String {
        let provider = subject.storeProvider(at: folder + "/Kind.granary")
        let store = try provider.open(Schema(Shelf.self), migration: .refuse)
        let kind = store.kind
        try store.close()
        if subject.has(.reopening) { try provider.destroy() }
        return kind
    }
}

extension ConformanceSubject {
    /// The store in memory that comes with Granary.
    package static let inMemory = ConformanceSubject(
        "memory",
        capabilities: [
            .reopening, .rowChecksums, .indexedQueries, .migration, .history, .changeRecording, .storedSchema, .filling,
        ]
    ) { path, _ in .inMemory(named: path) }
}
