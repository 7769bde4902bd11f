import ArgumentParser
import Foundation

/// A store in which several threads find tracks at once, perhaps beside one that commits.
protocol SharedStore: Sendable {
    /// What one thread finds tracks with. Each thread has one of its own.
    func makeFinder() throws -> any TrackFinder
    /// Inserts tracks in one transaction. One thread at a time calls it.
    func commit(_ tracks: [Track]) throws
    func count() throws -> Int
    /// Finders are closed before.
    func close() throws
}

/// Finds tracks by key. One thread at a time uses it.
protocol TrackFinder: Sendable {
    /// A track, in a read of its own.
    func find(_ key: Int64) throws -> Track
    /// Tracks in one read, each looked up by itself.
    func find(_ keys: ArraySlice<Int64>) throws -> [Track]
    func close() throws
}

extension SubjectName {
    /// The subjects that can be read by several threads. Granary comes first: then it is the first to use the libraries,
    /// and sets them up as it does in programs.
    static let shared: [SubjectName] = [.granarySQLite, .granaryLMDB, .granaryMemory, .rawSQLite, .rawLMDB]

    /// Opens a store in a new folder; nil if the subject is not in ``shared``.
    func openShared(folder: String) throws -> (any SharedStore)? {
        switch self {
        case .granarySQLite: try GranarySubject<SQLiteChoice>(folder: folder)
        case .granaryLMDB: try GranarySubject<LMDBChoice>(folder: folder)
        case .granaryMemory: try GranarySubject<MemoryChoice>(folder: folder)
        case .rawSQLite: SharedRawSQLite(try RawSQLiteSubject(folder: folder))
        case .rawLMDB: SharedRawLMDB(try RawLMDBSubject(folder: folder))
        case .granarySQLiteChecksums, .grdb, .grdbCodable: nil
        }
    }

    /// - Throws: If one of the subjects is not in ``shared``.
    static func checkShared(_ chosen: [SubjectName]) throws {
        guard chosen.allSatisfy({ shared.contains($0) }) else {
            throw ValidationError("--subject must be one of: \(shared.map(\.rawValue).joined(separator: ", ")).")
        }
    }

    /// Opens and fills the stores of the chosen subjects, or of all.
    static func openShared(
        _ chosen: [SubjectName], rows: Int, folder: String
    ) throws -> [(name: SubjectName, store: any SharedStore)] {
        try shared.filter { chosen.isEmpty || chosen.contains($0) }.compactMap { name in
            let place = "\(folder)/\(name.rawValue)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            guard let store = try name.openShared(folder: place) else { return nil }
            try store.fill(rows)
            return (name, store)
        }
    }
}

extension SharedStore {
    /// Inserts the tracks with the keys 1 to `rows`.
    func fill(_ rows: Int) throws { try TrackGenerator().batches(rows) { try commit($0) } }
}
