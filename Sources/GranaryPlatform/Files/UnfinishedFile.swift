/// Temporary names of files that get their final name when they are complete: `.granary-NUMBER`.
///
/// The writing process holds a lock on the whole file (`flock`), which ends with the process. So an unlocked file was
/// left by a killed process, and the next file made in the folder removes it.
package enum UnfinishedFile {
    private static let prefix = ".granary-"

    /// A new random name.
    package static func newName() -> String { "\(prefix)\(UInt64.random(in: .min ... .max))" }

    private static func isOne(_ name: String) -> Bool {
        let number = name.dropFirst(prefix.count).utf8
        return name.hasPrefix(prefix) && !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Locks a file that was just made. Returns false if another process has mistaken it for a left file: then make
    /// another one.
    package static func lock(_ descriptor: Int32, _ path: String) -> Bool {
        // If the file system has no such locks, no file is mistaken for a left one either.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return errno != EWOULDBLOCK }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return (try? FileSystem.status(path))?.isSameFile(as: FileStatus(status)) ?? false
    }

    /// Makes a file with a new random name in a folder, and locks it as long as it is open.
    package static func create(in folder: OpenFolder) throws(GranaryError) -> (file: OpenFile, name: String) {
        removeLeft(in: folder)
        while true {
            let name = newName()
            let file = try folder.file(name, .creating)
            let isOurs = try file.withDescriptor { descriptor throws(GranaryError) in
                lock(descriptor, folder.path(of: name))
            }
            if isOurs { return (file, name) }
        }
    }

    /// Removes the files in a folder that killed processes have left, if this user may.
    package static func removeLeft(in folder: OpenFolder) {
        for name in (try? folder.names()) ?? [] where isOne(name) {
            guard let file = try? folder.file(name, .writing), (try? file.tryLock(.exclusive)) == true else { continue }
            // A database has its journal next to it.
            for left in [name + "-journal", name] { try? folder.removeFile(left) }
        }
    }
}
