import Foundation
import GranaryCore
import GranaryPlatform
import GranaryStoreKit

// A restore copies the backup to a place beside the store, then renames the store, and then the copy. A killed process
// leaves one or both of them. So both names contain the number of a file that the process has locked,
// `.granary-NUMBER`. If that file is not locked, the restore has ended. Then the next restore moves a store back if its
// place is empty, and removes the rest.

/// The stores that a restore makes beside a place while it runs.
final class UnfinishedRestore {
    private let folder: OpenFolder
    private let place: URL
    private let lock: OpenFile
    private let lockName: String

    /// - Parameter place: The path of the store to be replaced.
    init(of place: URL) throws {
        self.place = place
        folder = try OpenFolder(place.deletingLastPathComponent().path)
        (lock, lockName) = try UnfinishedFile.create(in: folder)
    }

    deinit {
        try? folder.removeFile(lockName)
        withExtendedLifetime(lock) {}
    }

    private var number: Substring { lockName.dropFirst(UnfinishedRestore.lockPrefix.count) }
    /// The suffix that the copy's name adds to the store's name.
    var copySuffix: String { UnfinishedRestore.copySuffix + number }
    /// The suffix that the renamed store adds to the store's name.
    var storeSuffix: String { UnfinishedRestore.storeSuffix + number }

    private static let lockPrefix = ".granary-"
    private static let copySuffix = ".restored-"
    private static let storeSuffix = ".replaced-"

    /// Moves back a store that a killed restore has moved from its place, if the place is empty now.
    static func putBack(_ place: URL) throws {
        let left = try left(of: place, storeSuffix)
        guard let last = left.last, !FileManager.default.fileExists(atPath: place.path) else { return }
        try OpenFolder(place.deletingLastPathComponent().path).rename(last, to: place.lastPathComponent)
    }

    /// Removes the stores that killed restores have left, except the backup.
    static func removeLeft(of place: URL, besides backup: URL, _ kind: StoreKind) async throws {
        for name in try left(of: place, storeSuffix) + left(of: place, copySuffix) {
            let path = place.deletingLastPathComponent().appending(path: name)
            if path.resolvingSymlinksInPath().path == backup.resolvingSymlinksInPath().path { continue }
            // An unfinished copy is no store yet.
            try? await Stack.destroy(kind.provider(at: path.path))
        }
    }

    /// The names beside a place that have a suffix with the number of a restore that has ended.
    private static func left(of place: URL, _ suffix: String) throws -> [String] {
        guard let folder = try? OpenFolder(place.deletingLastPathComponent().path) else { return [] }
        let prefix = place.lastPathComponent + suffix
        return try folder.names().filter { name in
            guard name.hasPrefix(prefix), UInt64(name.dropFirst(prefix.count)) != nil else { return false }
            let lock = try? folder.file(lockPrefix + name.dropFirst(prefix.count), .writing)
            return try lock?.tryLock(.exclusive) ?? true
        }.sorted()
    }
}
