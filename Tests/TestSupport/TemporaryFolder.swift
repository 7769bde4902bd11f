import Foundation
package import GranaryPlatform

/// A folder of the test's own, removed with the last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Where tests make their folders: `GRANARY_TEST_FOLDER`, or the file system in memory that Linux has where a gigabyte of it is
    /// free, or the system's folder for temporary files. Tests do not wait for a disk: what a disk loses is tried in `Conformance/Faults`.
    package static let parent: String = {
        if let chosen = ProcessInfo.processInfo.environment["GRANARY_TEST_FOLDER"] { return chosen }
        let memory = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        if free >= 1 << 30, access(memory, W_OK) == 0 { return memory }
        return FileManager.default.temporaryDirectory.path
    }()

    package init() throws {
        path = "\(try FileSystem.realPath(TemporaryFolder.parent))/granary-\(UUID().uuidString)"
        _ = try FileSystem.makeFolder(path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

package func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

package func text(_ path: String) -> String? {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
}

package func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
}

package func exists(_ path: String) -> Bool { (try? FileSystem.status(path)) != .some(nil) }

package func permissions(_ path: String) throws -> UInt32? { try FileSystem.status(path)?.permissions }

/// The code of what the body throws, or nil when it throws nothing.
package func code<Result>(_ body: () throws -> Result) -> GranaryError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? GranaryError)?.code ?? GranaryError.Code(rawValue: "\(error)")
    }
}
