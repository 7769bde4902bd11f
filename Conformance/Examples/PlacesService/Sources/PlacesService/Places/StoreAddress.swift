package import Granary
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// The store of a service as text: `sqlite:PATH`, `lmdb:PATH` or `memory:`.
package enum StoreAddress: Sendable, Hashable {
    case sqlite(path: String)
    case lmdb(path: String)
    case memory

    /// Nil if the text has another form.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let path = String(text[text.index(after: colon)...])
        switch text[..<colon] {
        case "sqlite" where !path.isEmpty: self = .sqlite(path: path)
        case "lmdb" where !path.isEmpty: self = .lmdb(path: path)
        case "memory" where path.isEmpty: self = .memory
        default: return nil
        }
    }

    package var provider: any StoreProvider {
        switch self {
        case .sqlite(let path): SQLiteStoreProvider.sqlite(atPath: path)
        case .lmdb(let path): LMDBStoreProvider.lmdb(atPath: path)
        case .memory: MemoryStoreProvider.inMemory
        }
    }
}

extension StoreAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .lmdb(let path): "lmdb:\(path)"
        case .memory: "memory:"
        }
    }
}
