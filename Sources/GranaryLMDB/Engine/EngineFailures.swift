import CLMDB
package import GranaryStoreKit
import GranaryPlatform

extension GranaryError.Code {
    /// A write transaction was ended on another thread than the one it began on.
    package static let wrongThread = GranaryError.Code(rawValue: "wrongThread")
}

/// Turns results of `mdb_` calls and of the operating system into ``GranaryError``.
enum EngineFailures {
    static func lmdb(_ result: Int32, _ doing: String, in folder: String) -> GranaryError {
        let words = String(cString: mdb_strerror(result))
        return describe(result, doing, folder).causedBy("lmdb", result, words)
    }

    static func posix(_ number: Int32, _ doing: String, path: String) -> GranaryError {
        let words = String(cString: strerror(number))
        return describe(number, doing, path).causedBy("posix", number, words)
    }

    private static func describe(_ result: Int32, _ doing: String, _ path: String) -> GranaryError {
        switch result {
        case MDB_MAP_FULL:
            return GranaryError(
                .full,
                "\(doing): the map of \(path) is full. Nothing stored was lost; end other transactions and try again.")
        case MDB_TXN_FULL:
            return GranaryError(
                .full,
                "\(doing): the transaction is too large. Write in several smaller transactions; import with the importer's commits = .every(100_000)."
            )
        case MDB_DBS_FULL:
            return GranaryError(
                .full, "\(doing): no room for another keyspace in \(path). Close the store and open it again.")
        case MDB_READERS_FULL:
            return GranaryError(
                .busy, "\(doing): every reader slot of \(path) is taken. End snapshots, or raise maxReaders.")
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL, MDB_INCOMPATIBLE, MDB_NOTFOUND:
            return GranaryError.damaged("\(doing): \(path)")
        case MDB_INVALID:
            return GranaryError(.notAStore, "\(doing): \(path) holds no LMDB environment. Check the path.")
        case MDB_VERSION_MISMATCH:
            return GranaryError(
                .newerFormat, "\(doing): \(path) was written by another LMDB version. Update this program.")
        case MDB_BAD_VALSIZE:
            return GranaryError(.limit, "\(doing): the key or value is too long for \(path). Store a shorter one.")
        case MDB_BAD_TXN, MDB_BAD_DBI, MDB_BAD_RSLOT:
            return GranaryError(.closed, "\(doing): the transaction in \(path) is over. Begin a new one.")
        case EIO where !FileSystem.hasRoom(path):
            // LMDB reports a short write, which is what a full disk looks like, as EIO.
            return GranaryError(.full, "\(doing): the disk of \(path) is full. Free some space and try again.")
        case ENOMEM:
            return GranaryError(.limit, "\(doing): \(path) cannot be mapped. Choose a smaller mapSize.")
        case ..<0:
            return GranaryError(.io, "\(doing): reading or writing \(path) failed. Close the store and open it again.")
        default:
            // LMDB's own numbers are negative: this is an `errno`.
            let (code, advice) = GranaryError.posixMeaning(result)
            return GranaryError(code, "\(doing): a system call failed for \(path). \(advice)")
        }
    }
}
