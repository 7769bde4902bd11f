import GranaryPlatform

// The problem: a row names a file, and the two change at different times and by different means. A name without a file
// loses data; a file without a name wastes space. The rules:
//
// 1. Only the process that has the store's turn to write, or that builds a store invisible to others, writes and
//    removes files. So no process removes a file that another is about to name.
// 2. A file is on the disk, including its name, before the commit of the first row that names it.
// 3. A file is removed after the commit that removes the last row that names it, and only while no reader of any
//    process has an older state of the store open: readers share the lock of `READERS`, and removing takes it
//    exclusively. If the lock is not free, the file waits.
// 4. A process that writes or removes files has a marker of its own in the folder, locked for as long as the process
//    lives, and removes it if it leaves nothing behind. A marker without a lock means that files without a name may
//    exist: the next opening compares files and rows, and removes such files.

/// The files of a store's external values, in the folder `external` of the store's folder. All generations share them:
/// a generation that replaces another names the same files.
final class ExternalFiles: Sendable {
    /// The path of the folder.
    let path: String
    private let root: String
    private let canWrite: Bool
    private let fileMode: UInt32
    private let lock = Lock()
    // Read and written only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var state = State()

    private struct State {
        var folder: OpenFolder?
        var readersFile: OpenFile?
        var readers = 0
        var marker: (name: String, file: OpenFile)?
        /// The markers of processes that have ended. They are held locked until the files of these processes are
        /// removed.
        var foundMarkers: [(name: String, file: OpenFile)] = []
        /// Files that no row of the newest state is known to name: to be removed when no reader is open.
        var unused: Set<SHA256> = []
        /// The number of writers of this process that wait for their turn.
        var waiting = 0
        /// The number of rows that name each file, as of a commit.
        var uses: ExternalUses?
    }

    private static let readers = "READERS"
    private static let markerPrefix = "writer-"
    private static let temporaryPrefix = "new-"

    /// - Parameters:
    ///   - root: The path of the store's folder.
    ///   - fileMode: The mode of the store's files.
    init(inStoreAt root: String, canWrite: Bool, fileMode: UInt32 = 0o600) {
        self.root = root
        self.canWrite = canWrite
        self.fileMode = fileMode
        path = "\(root)/\(StoreNames.external)"
    }

    /// The files of the store to which the folder of a generation belongs.
    convenience init(ofGeneration generation: String) throws(GranaryError) {
        let mode = try FileSystem.status(generation)?.permissions ?? 0o600
        self.init(
            inStoreAt: generation.lastIndex(of: "/").map { String(generation[..<$0]) } ?? ".", canWrite: true,
            fileMode: mode & 0o666)
    }

    /// Whether a name in the folder belongs to these files.
    static func isOurs(_ name: String) -> Bool {
        name == readers || name.hasPrefix(markerPrefix) || isContent(name)
    }

    /// Removes these files, and the folder if nothing else is in it.
    ///
    /// - Parameter root: The store's folder.
    static func removeAll(in root: OpenFolder) throws(GranaryError) {
        // The name may belong to something that is not a folder, as names in the folder may belong to things that are
        // not files.
        guard try root.status(StoreNames.external)?.kind == .folder else {
            return try root.removeTree(StoreNames.external)
        }
        let folder = try root.folder(StoreNames.external)
        for name in try folder.names() where isOurs(name) { try folder.removeTree(name) }
        if try folder.names().isEmpty { return try root.removeEmptyFolder(StoreNames.external) }
        // Other files keep the folder, so the removal of names in it must be synced.
        try folder.synchronize()
    }

    /// Whether the store has, or had, external values.
    var exist: Bool { get throws { try FileSystem.status(path) != nil } }

    /// Whether the folder has contents.
    var haveContents: Bool {
        get throws { try exist && OpenFolder(path).names().contains(where: ExternalFiles.isContent) }
    }

    /// Opens the folder, and makes it if it does not exist.
    func open() throws {
        try lock.withLock {
            guard state.folder == nil else { return }
            if canWrite {
                let root = try OpenFolder(root, fileMode: fileMode)
                if try root.makeFolder(StoreNames.external) { try root.synchronize() }
            } else if try FileSystem.status(path) == nil {
                return
            }
            let folder = try OpenFolder(path, fileMode: fileMode)
            state.readersFile = try ExternalFiles.readersFile(in: folder, canWrite)
            state.folder = folder
        }
    }

    /// Whether processes, or migrations and resets of this process, have ended that may have left files without a name.
    func findLeftovers() throws -> Bool {
        guard canWrite else { return false }
        return try lock.withLock {
            guard let folder = state.folder else { return false }
            for name in try folder.names() where name.hasPrefix(ExternalFiles.markerPrefix) {
                guard let file = try? folder.file(name, .writing), try file.tryLock(.exclusive) else { continue }
                state.foundMarkers.append((name, file))
            }
            return !state.foundMarkers.isEmpty
        }
    }

    private static func readersFile(in folder: OpenFolder, _ canWrite: Bool) throws -> OpenFile? {
        guard try folder.status(readers) == nil else { return try folder.file(readers, .reading) }
        guard canWrite else { return nil }
        do throws(GranaryError) {
            return try folder.file(readers, .creating)
        } catch {
            guard error.underlying?.code == FileSystem.nameTaken else { throw error }
            return try folder.file(readers, .reading)
        }
    }

    /// Opens a file; nil if it does not exist.
    private static func file(_ name: String, in folder: OpenFolder) throws -> OpenFile? {
        do throws(GranaryError) {
            return try folder.file(name, .reading)
        } catch {
            guard error.underlying?.code == FileSystem.noEntry else { throw error }
            return nil
        }
    }

    /// Whether ``findLeftovers()`` has found such files that have not been removed yet.
    var mayHaveLeftovers: Bool { lock.withLock { !state.foundMarkers.isEmpty } }

    /// Closes the files. No thread reads or writes them.
    ///
    /// - Parameter keepingMarker: Whether some kept files may have no name, so that the next opening must look for
    ///   them.
    func close(keepingMarker: Bool = false) {
        lock.withLock {
            if !keepingMarker, state.unused.isEmpty, let marker = state.marker, let folder = state.folder {
                try? ExternalFiles.remove([marker.name], in: folder)
            }
            state = State()
        }
    }

    // MARK: Readers

    /// From this call to ``endReading()`` no file is removed. Called before the state to read is chosen.
    func beginReading() throws {
        // Another process may make the folder after a store was opened for reading only.
        if !canWrite, lock.withLock({ state.folder == nil }) { try open() }
        try lock.withLock {
            if state.readers == 0, let file = state.readersFile {
                // A process holds the lock only for the moment in which it removes files.
                guard try file.lock(.shared, until: Deadline(seconds: 60)) else {
                    throw GranaryError(.busy, "\(path) is being cleaned by another process. Try again.")
                }
            }
            state.readers += 1
        }
    }

    func endReading() {
        lock.withLock {
            state.readers -= 1
            if state.readers == 0 { state.readersFile?.unlock() }
        }
    }

    // MARK: Contents

    /// The size of the file of a reference; nil if the file does not exist.
    func size(of name: String) throws -> Int? {
        guard let folder = lock.withLock({ state.folder }), let status = try folder.status(name) else { return nil }
        return status.kind == .file ? Int(status.size) : nil
    }

    /// Reads the content of a reference.
    ///
    /// - Returns: Whether the content is complete.
    func read(_ reference: ExternalReference, into buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
        guard let folder = lock.withLock({ state.folder }) else { return false }
        guard let file = try ExternalFiles.file(reference.name, in: folder) else { return false }
        guard try file.status().size == Int64(reference.size), try file.read(into: buffer) == buffer.count else {
            return false
        }
        return hash64(UnsafeRawBufferPointer(buffer), seed: 0) == reference.checksum
    }

    /// Whether the file of a reference is complete: it is read in pieces, and its digest compared with its name.
    ///
    /// - Parameter proceed: Called before each piece; may throw to stop.
    func isWhole(_ reference: ExternalReference, _ proceed: () throws -> Void = {}) throws -> Bool {
        guard let folder = lock.withLock({ state.folder }),
            let file = try ExternalFiles.file(reference.name, in: folder),
            try file.status().size == Int64(reference.size)
        else { return false }
        var (digest, hash) = (SHA256.Pieces(), Hash64Pieces(seed: 0))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { room.deallocate() }
        var done = 0
        while done < reference.size {
            try proceed()
            let count = try file.read(into: room, at: done)
            guard count > 0 else { return false }
            let piece = UnsafeRawBufferPointer(rebasing: room[..<count])
            digest.add(piece)
            hash.add(piece)
            done += count
        }
        return done == reference.size && digest.digest == reference.digest && hash.hash == reference.checksum
    }

    /// Keeps a content. The caller must have the turn to write. Its name is on the disk after ``synchronize()``.
    ///
    /// - Returns: Its reference, and whether a new file was made.
    func keep(_ content: UnsafeRawBufferPointer) throws -> (ExternalReference, isNew: Bool) {
        let reference = ExternalReference(of: content)
        guard let folder = lock.withLock({ state.folder }) else {
            throw GranaryError.readOnly(root)
        }
        try mark(folder)
        let found = try size(of: reference.name)
        // A damaged file is written anew, for all records that name it.
        if found == content.count, try isWhole(reference) { return (reference, false) }
        let temporary = ExternalFiles.temporaryPrefix + reference.name
        try folder.removeFile(temporary)
        do {
            let file = try folder.file(temporary, .creating)
            var offset = 0
            while offset < content.count {
                let end = min(content.count, offset + 1 << 20)
                try file.write(Array(content[offset..<end]), at: Int64(offset))
                offset = end
            }
            try file.synchronize()
            try folder.rename(temporary, to: reference.name)
        } catch {
            try? folder.removeFile(temporary)
            throw error
        }
        return (reference, found == nil)
    }

    /// Returns when the names of all kept files are on the disk.
    func synchronize() throws { try lock.withLock { state.folder }?.synchronize() }

    /// Makes the next opening look for files without a name, if this process ends before it has removed them.
    func mark() throws { if let folder = lock.withLock({ state.folder }) { try mark(folder) } }

    private func mark(_ folder: OpenFolder) throws {
        try lock.withLock {
            guard state.marker == nil else { return }
            // Another process that opens the store may take the marker for a left-over before it is locked: then
            // another one is made. The marker's name is on the disk before the files that it stands for, because not
            // every file system writes the two names together.
            while state.marker == nil {
                let number = UInt64.random(in: .min ... .max)
                let name = ExternalFiles.markerPrefix + String(number, radix: 16)
                let file = try folder.file(name, .creating)
                guard try file.tryLock(.exclusive) else { continue }
                try folder.synchronize()
                state.marker = (name, file)
            }
        }
    }

    // MARK: Uses

    /// Hands out the known uses. The caller may give them back.
    func takeUses() -> ExternalUses? {
        lock.withLock {
            defer { state.uses = nil }
            return state.uses
        }
    }

    func give(_ uses: ExternalUses?) { lock.withLock { state.uses = uses } }

    var unused: Set<SHA256> { lock.withLock { state.unused } }

    /// Notes files that no row names, and forgets files that rows name again.
    func note(unused digests: Set<SHA256>) throws {
        guard let folder = lock.withLock({ state.folder }) else { return }
        if !digests.isEmpty { try mark(folder) }
        lock.withLock { state.unused = digests }
    }

    // MARK: Waiting

    /// Runs a closure that waits for the turn to write.
    func waiting<T>(_ body: () throws -> T) throws -> T {
        lock.withLock { state.waiting += 1 }
        defer { lock.withLock { state.waiting -= 1 } }
        return try body()
    }

    /// Whether a writer of this process waits for its turn.
    var isAwaited: Bool { lock.withLock { state.waiting > 0 } }

    // MARK: Removing

    /// Removes a file that this transaction made and no row names.
    func remove(new digest: SHA256) { try? lock.withLock { state.folder }?.removeFile(digest.hexadecimal) }

    /// The files to remove.
    enum Removal {
        case these(Set<SHA256>)
        /// All except those that rows name, left by any process.
        case allBut(Set<SHA256>)
    }

    /// Removes files that no row names, unless a reader is open. The caller has the turn to write.
    ///
    /// - Returns: Whether they were removed.
    @discardableResult func removeUnused(_ removal: Removal) throws -> Bool {
        try lock.withLock {
            guard let folder = state.folder, let file = state.readersFile, state.readers == 0,
                try file.tryLock(.exclusive)
            else { return false }
            defer { file.unlock() }
            switch removal {
            case .allBut(let everything):
                let wanted = Set(everything.map(\.hexadecimal))
                for name in try folder.names() where ExternalFiles.isContent(name) && !wanted.contains(name) {
                    try folder.removeFile(name)
                }
                state.unused = []
            case .these(let digests):
                for digest in digests { try folder.removeFile(digest.hexadecimal) }
                // In the meantime a failed commit may have noted other files.
                state.unused.subtract(digests)
            }
            try ExternalFiles.remove(state.foundMarkers.map(\.name), in: folder)
            state.foundMarkers = []
            return true
        }
    }

    /// Removes markers after the removal of their files is on the disk.
    private static func remove(_ markers: [String], in folder: OpenFolder) throws {
        guard !markers.isEmpty else { return }
        try folder.synchronize()
        for marker in markers { try folder.removeFile(marker) }
    }

    /// Whether a file in the folder is a content, complete or unfinished.
    private static func isContent(_ name: String) -> Bool {
        let rest = name.hasPrefix(temporaryPrefix) ? name.dropFirst(temporaryPrefix.count) : name[...]
        return rest.utf8.count == 2 * SHA256.byteCount
            && rest.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// The names and sizes of all contents, including unfinished ones.
    func contents() throws -> [String: Int] {
        guard let folder = lock.withLock({ state.folder }) else { return [:] }
        var found: [String: Int] = [:]
        for name in try folder.names() where ExternalFiles.isContent(name) {
            found[name] = try folder.status(name).map { Int($0.size) }
        }
        return found
    }

    /// Removes the markers of a new backup if its files are exactly those that its rows name: then its first opening
    /// need not look for others.
    ///
    /// - Parameter root: The path of the backup.
    static func removeMarkers(inStoreAt root: String, ifContentsAre digests: Set<SHA256>) throws {
        let path = "\(root)/\(StoreNames.external)"
        guard try FileSystem.status(path)?.kind == .folder else { return }
        let folder = try OpenFolder(path)
        let names = try folder.names()
        guard Set(names.filter { isContent($0) }) == Set(digests.map(\.hexadecimal)) else { return }
        for name in names where name.hasPrefix(markerPrefix) { try folder.removeFile(name) }
        try folder.synchronize()
    }

    /// Copies all contents to the store to which the folder of a new generation belongs.
    func copyAll(toStoreOfGeneration generation: String) throws {
        guard let folder = lock.withLock({ state.folder }) else { return }
        let target = try ExternalFiles(ofGeneration: generation)
        try target.open()
        // Some files may have no name in the copied state: the first opening removes them.
        defer { target.close(keepingMarker: true) }
        try target.mark()
        guard let targetFolder = target.lock.withLock({ target.state.folder }) else { return }
        for name in try folder.names() where name.utf8.count == 2 * SHA256.byteCount {
            // A missing file belonged to a transaction that was undone.
            guard let source = try ExternalFiles.file(name, in: folder) else { continue }
            try LongWork.checkCancellation()
            let copy = try targetFolder.file(name, .creating)
            try source.copy(to: copy)
            try copy.synchronize()
        }
        try target.synchronize()
    }
}
