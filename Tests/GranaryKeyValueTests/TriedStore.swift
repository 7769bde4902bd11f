import Foundation
import GranaryCore
import GranaryKeyValue
import GranaryLMDB
import GranaryMemory
import TestSupport

/// The engines that the store is tried on.
enum TriedEngine: CaseIterable, Sendable {
    case array, memory, lmdb
}

/// A store over one of them, which can be opened again.
final class TriedStore {
    private let schema: Schema
    /// LMDB's files.
    private let folder: String?
    private(set) var engine: any OrderedKeyValueEngine
    private(set) var store: KeyValueStore

    init(_ kind: TriedEngine, _ entities: [Entity]) throws {
        schema = Schema(entities: entities)
        switch kind {
        case .array:
            folder = nil
            engine = SortedArrayEngine()
        case .memory:
            folder = nil
            engine = MemoryEngine()
        case .lmdb:
            let path = TemporaryFolder.parent + "/granary-kv-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            folder = path
            engine = try LMDBEngine(folder: path, options: LMDBEngine.Options(durability: .off))
        }
        store = try KeyValueStore(engine: engine, schema: schema)
    }

    deinit {
        try? store.close()
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// What an engine in memory holds is there as long as the engine is, so of those only the store is another.
    func reopen() throws {
        if let folder {
            try store.close()
            engine = try LMDBEngine(folder: folder, options: LMDBEngine.Options(durability: .off))
        }
        store = try KeyValueStore(engine: engine, schema: schema)
    }
}
