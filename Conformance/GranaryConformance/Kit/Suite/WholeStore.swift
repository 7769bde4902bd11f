package import GranaryCore

// What a copy, a seed and a reset are compared by: every value of every record, the commits, and the keys to come.

package enum WholeStore {
    /// Records of every type, references, links in an order of their own, assigned and given keys.
    package static let schema = Schema(
        Sample.self, Person.self, Note.self, Ticket.self, Counter.self, Shelf.self, Box.self, Mix.self, Track.self)

    /// Writes some of everything, in several commits. The last assigned key is that of a record that is gone.
    package static func fill(_ stack: Stack, notes: Int = 40) async throws {
        try await stack.write(as: "first") { tx in
            _ = try tx.insert(
                (0..<notes).map { Note(slug: "note \($0)", body: String(repeating: "é", count: $0 * 30)) })
            try tx.deferringReferences {
                try tx.insert(Shelf(id: 1, name: "one"))
                try tx.insert(Box(id: 1, shelf: Ref(1), outer: Ref(2), loose: Ref(77)))
                try tx.insert(Box(id: 2, shelf: Ref(1), outer: Ref(1)))
            }
            for key in [Int64.min, -1, 0, .max] { try tx.insert(Sample(id: key)) }
        }
        try await stack.write(as: "second") { tx in
            for label in ["a", "b", "c"] { try tx.insert(Counter(label: label)) }
            let tracks = (1...5).map { Track(id: $0, title: "track \($0)") }
            try tx.insert(tracks)
            let mix = try tx.insert(Mix(id: 1, name: "mix"))
            try mix.tracks.add([tracks[3], tracks[0], tracks[4]], in: tx)
            try mix.favourites.add([tracks[1], tracks[2]], in: tx)
        }
        try await stack.write { tx in _ = try Counter.where { $0.label == "c" }.deleteAll(in: tx) }
    }

    /// All records by their entities' names.
    package static func records(_ stack: Stack) throws -> [String: [[StoredValue]]] {
        try stack.blocking.read { snapshot in
            var records: [String: [[StoredValue]]] = [:]
            for entity in snapshot.schema.entities {
                let found = try snapshot.fetch(Request(entity.name)).map(\.values)
                if !found.isEmpty { records[entity.name] = found }
            }
            return records
        }
    }

    package static func number(_ stack: Stack) throws -> UInt64 { try stack.blocking.read { $0.transactionNumber } }

    /// Fails unless a store is whole and holds the same records as another.
    package static func expectSame(
        _ stack: Stack, as records: [String: [[StoredValue]]], file: String = #fileID, line: Int = #line
    ) throws {
        try expectEqual(try self.records(stack), records, file: file, line: line)
        try expectEqual(try stack.blocking.verify(), [], file: file, line: line)
    }

    /// Fails unless indexes, uniqueness, references and the order of links work, and the next assigned key is the one given.
    package static func expectWorking(
        _ stack: Stack, nextKey: Int64, file: String = #fileID, line: Int = #line
    ) async throws {
        // First: of a context, a failed insertion uses a key up.
        let key = try stack.blocking.write { try $0.insert(Counter(label: "next")).id }
        try expectEqual(key, nextKey, file: file, line: line)
        try expectError(.uniqueness, file: file, line: line) {
            try stack.blocking.write { try $0.insert(Counter(label: "a")) }
        }
        try expectError(.deniedDeletion, file: file, line: line) {
            try stack.blocking.write { try $0.delete(Shelf.self, 1) }
        }
        try expectError(.danglingReference, file: file, line: line) {
            try stack.blocking.write { try $0.insert(Box(id: 9, shelf: Ref(99))) }
        }
        let tracks = try stack.blocking.read { try Mix(id: 1).tracks.all.fetch(in: $0).map(\.id) }
        try expectEqual(tracks, [4, 1, 5], file: file, line: line)
        try expectEqual(try stack.blocking.verify(), [], file: file, line: line)
    }
}
