import Foundation
import GranaryCore
import GranaryPlatform
import GranaryStoreKit

// A restore makes a copy of the backup beside the store, renames the store, and then the copy. A process that is killed leaves one
// or both of them. So both have the number of a file that the process has locked, `.granary-NUMBER`: if nothing has that lock, the
// restore has ended, and the next one puts a store back whose place is empty, and removes the rest.

/// The stores beside a place that a restore makes, while it runs.
final class UnfinishedRestore {
    private let folder: OpenFolder
    private let place: URL
    private let lock: OpenFile
    private let lockName: String

    /// - Parameter place: The path of the store that is to be replaced.
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
    /// What is added to the store's name for the copy.
    var copySuffix: String { UnfinishedRestore.copySuffix + number }
    /// What is added to the store's name for the store itself.
    var storeSuffix: String { UnfinishedRestore.storeSuffix + number }

    private static let lockPrefix = ".granary-"
    private static let copySuffix = ".restored-"
    private static let storeSuffix = ".replaced-"

    /// Puts back a store that a killed restore has moved from its place, if nothing is there now.
    static func putBack(_ place: URL) throws {
        let left = try left(of: place, storeSuffix)
        guard let last = left.last, !FileManager.default.fileExists(atPath: place.path) else { return }
        try OpenFolder(place.deletingLastPathComponent().path).rename(last, to: place.lastPathComponent)
    }

    /// Removes what killed restores have left, but for the backup.
    static func removeLeft(of place: URL, besides backup: URL, _ kind: StoreKind) async throws {
        for name in try left(of: place, storeSuffix) + left(of: place, copySuffix) {
            let path = place.deletingLastPathComponent().appending(path: name)
            if path.resolvingSymlinksInPath().path == backup.resolvingSymlinksInPath().path { continue }
            // A copy that was not finished is no store yet.
            try? await Stack.destroy(kind.provider(at: path.path))
        }
    }

    /// The names beside a place that have a suffix and the number of a restore that has ended.
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
