/// The names of files that get their own name when they are whole: `.granary-NUMBER`.
///
/// The process that writes one has the lock of the whole file (`flock`), which ends with the process. So one that nobody has
/// locked was left by a process that was killed, and the next one that is made in the folder removes it.
package enum UnfinishedFile {
    private static let prefix = ".granary-"

    /// A name that no file has had.
    package static func newName() -> String { "\(prefix)\(UInt64.random(in: .min ... .max))" }

    private static func isOne(_ name: String) -> Bool {
        let number = name.dropFirst(prefix.count).utf8
        return name.hasPrefix(prefix) && !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Locks a file that was just made. False if another process has taken it for one that was left: then make another one.
    package static func lock(_ descriptor: Int32, _ path: String) -> Bool {
        // Where a file system has no such locks, nothing is taken for left either.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return errno != EWOULDBLOCK }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return (try? FileSystem.status(path))?.isSameFile(as: FileStatus(status)) ?? false
    }

    /// Makes a file with a name of its own in a folder, and locks it for as long as it is open.
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

    /// Removes the files in a folder that killed processes have left, as far as this user may.
    package static func removeLeft(in folder: OpenFolder) {
        for name in (try? folder.names()) ?? [] where isOne(name) {
            guard let file = try? folder.file(name, .writing), (try? file.tryLock(.exclusive)) == true else { continue }
            // A database has its journal beside it.
            for left in [name + "-journal", name] { try? folder.removeFile(left) }
        }
    }
}
