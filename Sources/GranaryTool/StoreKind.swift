public import ArgumentParser
package import GranaryCore
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// The kinds of stores that the tool knows.
public enum StoreKind: String, CaseIterable, Sendable, ExpressibleByArgument {
    case sqlite, lmdb, memory

    /// The provider of a store of this kind at a path. A memory store uses the path as its name.
    package func provider(at path: String, access: StoreAccess = .readWrite) -> any StoreProvider {
        switch self {
        case .sqlite: .sqlite(atPath: path, options: .init(access: access, busyTimeout: .seconds(Waiting.seconds)))
        case .lmdb: .lmdb(atPath: path, options: .init(access: access, busyTimeout: .seconds(Waiting.seconds)))
        case .memory: .inMemory(named: path)
        }
    }
}
