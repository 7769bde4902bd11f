import GranaryConformance
import GranaryStoreKit
import LogStore
import PlainFileStore

// How the stores of this package are damaged, so that the suite can see that `verify` finds it.

extension StoreDamage {
    /// Damages a log, in the entries of its engine.
    func applyToLog(at path: String) throws {
        try LogStoreProvider.withEngine(ofStoreAt: path) { engine in try apply(to: engine) }
    }

    /// Damages plain files, by a commit that no rule checks.
    func applyToPlainFiles(at path: String) throws {
        var commit = try UncheckedCommit(toStoreAt: path)
        switch self {
        case .missingEntry, .missingRow: throw GranaryError(.unsupported, "no index is in the files")
        case .wrongChecksum: throw GranaryError(.unsupported, "files with a wrong checksum are not opened")
        case .danglingReference: try commit.put(.integer(2), nil, of: Shelf.entityName)
        case .equalUniqueValues:
            try commit.put(.integer(2), StoredRow([.integer(2), .string("a")]), of: Counter.entityName)
        case .keyCounterBehind: try commit.setLastKey(1, of: Counter.entityName)
        }
        try commit.end()
    }
}
