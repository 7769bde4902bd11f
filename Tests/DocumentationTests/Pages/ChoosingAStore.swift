import Foundation
import Granary
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// Opens the store whose kind is named in the settings of the program.
func openLibrary(_ kind: String, in folder: URL) async throws -> Stack {
    let schema = Schema(Author.self, Book.self)
    return switch kind {
    case "lmdb": try await Stack(schema, store: .lmdb(at: folder.appending(path: "Library.lmdb")))
    case "memory": try await Stack(schema, store: .inMemory)
    default: try await Stack(schema, store: .sqlite(at: folder.appending(path: "Library.sqlite")))
    }
}

/// Whether the records are there when the program runs the next time.
func keepsRecords(_ stack: Stack) -> Bool { stack.capabilities.has(.persistence) }

/// Whether every record that is read is compared with its checksum.
func noticesDamage(_ stack: Stack) -> Bool { stack.capabilities.has(.rowChecksums) }

/// Copies a library to LMDB. Nothing else may write meanwhile.
func changeToLMDB(_ stack: Stack, at url: URL) async throws -> Stack {
    let copy = try await stack.copy(to: .lmdb(at: url))
    try await stack.close()
    return copy
}
