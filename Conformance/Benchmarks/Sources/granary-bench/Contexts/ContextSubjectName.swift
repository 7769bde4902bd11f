import ArgumentParser
import Foundation
import GranaryCore

/// The stores that contexts are over.
enum ContextSubjectName: String, CaseIterable, ExpressibleByArgument {
    case granarySQLite = "granary-sqlite"
    case granaryLMDB = "granary-lmdb"
    case granaryMemory = "granary-memory"

    /// A new store for songs, their artists and reviews of them.
    func open(in folder: String) throws -> Stack {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let schema = Schema(Artist.self, Song.self, Review.self)
        let folder = URL(fileURLWithPath: folder)
        return switch self {
        case .granarySQLite: try SQLiteChoice.open(schema, folder: folder)
        case .granaryLMDB: try LMDBChoice.open(schema, folder: folder)
        case .granaryMemory: try MemoryChoice.open(schema, folder: folder)
        }
    }
}
