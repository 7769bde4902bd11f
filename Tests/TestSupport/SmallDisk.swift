import Foundation

/// A disk of a test's own, made small by mounting one in memory.
package enum SmallDisk {
    /// Whether the system permits that: it needs the rights of root. A test that needs such a disk is enabled by this.
    package static let isPermitted: Bool = {
        guard let folder = try? TemporaryFolder(), mount("64k", at: folder.path) else { return false }
        unmount(folder.path)
        return true
    }()

    /// Returns whether it could be mounted.
    package static func mount(_ size: String, at path: String) -> Bool {
        run("mount", "-t", "tmpfs", "-o", "size=\(size)", "none", path)
    }

    /// Mounts it again with other options. Returns whether it could be.
    package static func remount(_ options: String, at path: String) -> Bool {
        run("mount", "-o", "remount,\(options)", path)
    }

    package static func unmount(_ path: String) { _ = run("umount", "-l", path) }

    private static func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
