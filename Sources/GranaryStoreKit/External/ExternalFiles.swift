import GranaryPlatform

// The problem: a row names a file, and the two change at different times and by different means. A name without a file loses
// data; a file without a name wastes room. The rules:
//
// 1. A file is written and removed only by the process that has the store's turn to write, or that builds a store which no
//    other sees. So no process removes a file that another is about to name.
// 2. A file is on the disk, its name included, before the commit of the first row that names it.
// 3. A file is removed after the commit of the last row that names it is removed, and only while no reader of any process has
//    the store's older states: readers share the lock of `READERS`, and removing takes it alone. Where that cannot be had at
//    once, the file waits.
// 4. A process that writes or removes files has a marker of its own in the folder, locked for as long as the process lives, and removes
//    it when it leaves nothing behind. A marker without a lock says that files without a name may be there: the next
//    opening compares files and rows, and removes them.

/// The files of a store's external values, in the folder `external` of the store's folder, which all generations share: a
/// generation that replaces another names the same files.
final class ExternalFiles: Sendable {
    /// Of the folder.
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
        /// The markers of processes that have ended: held locked until what they left is removed.
        var foundMarkers: [(name: String, file: OpenFile)] = []
        /// Files that no row of the newest state names, as far as is known: to be removed when no reader is open.
        var unused: Set<SHA256> = []
        /// Writers of this process that wait for their turn.
        var waiting = 0
        /// How many rows name each file, as of a commit.
        var uses: ExternalUses?
    }

    private static let readers = "READERS"
    private static let markerPrefix = "writer-"
    private static let temporaryPrefix = "new-"

    /// - Parameters:
    ///   - root: The path of the store's folder.
    ///   - fileMode: That of the store's files.
    init(inStoreAt root: String, canWrite: Bool, fileMode: UInt32 = 0o600) {
        self.root = root
        self.canWrite = canWrite
        self.fileMode = fileMode
        path = "\(root)/\(StoreNames.external)"
    }

    /// Those of the store in whose folder the folder of a generation lies.
    convenience init(ofGeneration generation: String) throws(GranaryError) {
        let mode = try FileSystem.status(generation)?.permissions ?? 0o600
        self.init(
            inStoreAt: generation.lastIndex(of: "/").map { String(generation[..<$0]) } ?? ".", canWrite: true,
            fileMode: mode & 0o666)
    }

    /// Whether a name in the folder is of a file of ours.
    static func isOurs(_ name: String) -> Bool {
        name == readers || name.hasPrefix(markerPrefix) || isContent(name)
    }

    /// Removes the files of ours, and the folder if nothing else is in it.
    ///
    /// - Parameter root: The store's folder.
    static func removeAll(in root: OpenFolder) throws(GranaryError) {
        // What is no folder there has a name of ours all the same, as has what is no file in it.
        guard try root.status(StoreNames.external)?.kind == .folder else {
            return try root.removeTree(StoreNames.external)
        }
        let folder = try root.folder(StoreNames.external)
        for name in try folder.names() where isOurs(name) { try folder.removeTree(name) }
        if try folder.names().isEmpty { return try root.removeEmptyFolder(StoreNames.external) }
        // What is not ours keeps the folder: its names are not gone with it.
        try folder.synchronize()
    }

    /// Whether the store has, or had, external values.
    var exist: Bool { get throws { try FileSystem.status(path) != nil } }

    /// Whether there are contents.
    var haveContents: Bool {
        get throws { try exist && OpenFolder(path).names().contains(where: ExternalFiles.isContent) }
    }

    /// Opens the folder, making it if need be.
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

    /// Whether processes, or migrations and resets of this one, have ended that may have left files without a name.
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

    /// Whether ``findLeftovers()`` has found any that are still there.
    var mayHaveLeftovers: Bool { lock.withLock { !state.foundMarkers.isEmpty } }

    /// Closes the files. Nothing reads or writes.
    ///
    /// - Parameter keepingMarker: Whether what was kept may be named by nothing: the next opening looks.
    func close(keepingMarker: Bool = false) {
        lock.withLock {
            if !keepingMarker, state.unused.isEmpty, let marker = state.marker, let folder = state.folder {
                try? ExternalFiles.remove([marker.name], in: folder)
            }
            state = State()
        }
    }

    // Readers

    /// From here to ``endReading()`` no file is removed. Called before the state that is read is chosen.
    func beginReading() throws {
        // One that is made by others after a store was opened for reading only.
        if !canWrite, lock.withLock({ state.folder == nil }) { try open() }
        try lock.withLock {
            if state.readers == 0, let file = state.readersFile {
                // Who removes files does so in a moment.
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

    // Contents

    /// The size of the file of a reference; nil if the file does not exist.
    func size(of name: String) throws -> Int? {
        guard let folder = lock.withLock({ state.folder }), let status = try folder.status(name) else { return nil }
        return status.kind == .file ? Int(status.size) : nil
    }

    /// Reads the content of a reference.
    ///
    /// - Returns: Whether it is whole.
    func read(_ reference: ExternalReference, into buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
        guard let folder = lock.withLock({ state.folder }) else { return false }
        guard let file = try ExternalFiles.file(reference.name, in: folder) else { return false }
        guard try file.status().size == Int64(reference.size), try file.read(into: buffer) == buffer.count else {
            return false
        }
        return hash64(UnsafeRawBufferPointer(buffer), seed: 0) == reference.checksum
    }

    /// Whether the file of a reference is whole: it is read in pieces, and its digest compared with its name.
    ///
    /// - Parameter proceed: Called before each piece; throws to end.
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

    /// Keeps a content; for who may write. Its name is on the disk after ``synchronize()``.
    ///
    /// - Returns: Its reference, and whether a file was made for it.
    func keep(_ content: UnsafeRawBufferPointer) throws -> (ExternalReference, isNew: Bool) {
        let reference = ExternalReference(of: content)
        guard let folder = lock.withLock({ state.folder }) else {
            throw GranaryError.readOnly(root)
        }
        try mark(folder)
        let found = try size(of: reference.name)
        // A damaged file is made anew, for all records that name it.
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

    /// Returns when the names of all files that were kept are on the disk.
    func synchronize() throws { try lock.withLock { state.folder }?.synchronize() }

    /// Has the next opening look for files without a name, if this process ends before it has removed them.
    func mark() throws { if let folder = lock.withLock({ state.folder }) { try mark(folder) } }

    private func mark(_ folder: OpenFolder) throws {
        try lock.withLock {
            guard state.marker == nil else { return }
            // An opening of another process may take one for left over before it is locked: then another is made. Its name is on
            // the disk before a file is that it stands for: not every file system brings it there together with that one's.
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

    // Uses

    /// Hands out what is known of the uses, to be given back or not.
    func takeUses() -> ExternalUses? {
        lock.withLock {
            defer { state.uses = nil }
            return state.uses
        }
    }

    func give(_ uses: ExternalUses?) { lock.withLock { state.uses = uses } }

    var unused: Set<SHA256> { lock.withLock { state.unused } }

    /// Notes files that no row names, and forgets those that rows name again.
    func note(unused digests: Set<SHA256>) throws {
        guard let folder = lock.withLock({ state.folder }) else { return }
        if !digests.isEmpty { try mark(folder) }
        lock.withLock { state.unused = digests }
    }

    // Waiting

    /// Runs a body that waits for the turn to write.
    func waiting<T>(_ body: () throws -> T) throws -> T {
        lock.withLock { state.waiting += 1 }
        defer { lock.withLock { state.waiting -= 1 } }
        return try body()
    }

    /// Whether a writer of this process waits for its turn.
    var isAwaited: Bool { lock.withLock { state.waiting > 0 } }

    // Removing

    /// Removes a file that this transaction made and no row names.
    func remove(new digest: SHA256) { try? lock.withLock { state.folder }?.removeFile(digest.hexadecimal) }

    /// Which files go.
    enum Removal {
        case these(Set<SHA256>)
        /// All but those that rows name, whichever process left them.
        case allBut(Set<SHA256>)
    }

    /// Removes files that no row names, unless a reader is open. The caller has the turn to write.
    ///
    /// - Returns: Whether it was done.
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
                // A commit that failed meanwhile may have noted others.
                state.unused.subtract(digests)
            }
            try ExternalFiles.remove(state.foundMarkers.map(\.name), in: folder)
            state.foundMarkers = []
            return true
        }
    }

    /// Removes markers once it is on the disk that the files are gone that they stand for.
    private static func remove(_ markers: [String], in folder: OpenFolder) throws {
        guard !markers.isEmpty else { return }
        try folder.synchronize()
        for marker in markers { try folder.removeFile(marker) }
    }

    /// Whether a file in the folder is a content, or one that was never finished.
    private static func isContent(_ name: String) -> Bool {
        let rest = name.hasPrefix(temporaryPrefix) ? name.dropFirst(temporaryPrefix.count) : name[...]
        return rest.utf8.count == 2 * SHA256.byteCount
            && rest.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// The names and sizes of all contents, those never finished included.
    func contents() throws -> [String: Int] {
        guard let folder = lock.withLock({ state.folder }) else { return [:] }
        var found: [String: Int] = [:]
        for name in try folder.names() where ExternalFiles.isContent(name) {
            found[name] = try folder.status(name).map { Int($0.size) }
        }
        return found
    }

    /// Removes the markers of a backup that has just been made, if its files are those that its rows name: the first opening has
    /// nothing to look for then.
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

    /// Copies all contents to the store in whose folder a generation is made.
    func copyAll(toStoreOfGeneration generation: String) throws {
        guard let folder = lock.withLock({ state.folder }) else { return }
        let target = try ExternalFiles(ofGeneration: generation)
        try target.open()
        // Some may have no name in the state that was copied: the first opening removes them.
        defer { target.close(keepingMarker: true) }
        try target.mark()
        guard let targetFolder = target.lock.withLock({ target.state.folder }) else { return }
        for name in try folder.names() where name.utf8.count == 2 * SHA256.byteCount {
            // One that is gone was of a transaction that was undone.
            guard let source = try ExternalFiles.file(name, in: folder) else { continue }
            try LongWork.checkCancellation()
            let copy = try targetFolder.file(name, .creating)
            try source.copy(to: copy)
            try copy.synchronize()
        }
        try target.synchronize()
    }
}
