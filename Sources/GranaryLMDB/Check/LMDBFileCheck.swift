import GranaryStoreKit
import GranaryPlatform

/// Proves that the structure of an LMDB data file is sound before anything maps it.
///
/// LMDB trusts its file: a flipped bit in a page header, a page number or a length makes it read or write outside the
/// map, and the process dies. The rule against this: every number that LMDB will follow is checked first, through
/// `pread` into private buffers, so that a wrong one becomes ``GranaryError/Code/corrupt``. Only changed *contents* of
/// a key or value remain possible, which the checksum of each record detects.
///
/// The format is that of LMDB 0.9 (data version 1), 64 bits, little-endian: `MDB_page`, `MDB_node`, `MDB_db` and
/// `MDB_meta` in the library's own source. Duplicate values, integer keys of named databases and fixed maps are
/// refused: Granary never writes them.
package struct LMDBFileCheck {
    /// The result of a walk.
    package struct Report: Sendable, Hashable {
        package var transaction: UInt64 = 0
        package var pageSize = 0
        /// Pages that belong to a tree or to a long value, without the two meta pages.
        package var usedPages = 0
        package var freePages = 0
        /// Pages that are neither used nor free: harmless, only lost space.
        package var leakedPages = 0
        package var namedDatabases = 0
        package var entries = 0
    }

    /// Checks both meta pages, the size of the file and the roots of the trees. Costs one read.
    @discardableResult
    package static func checkMeta(path: String) throws -> Meta {
        let file = try PageFile(path: path)
        return try readMeta(of: file)
    }

    /// The same for a file that others may write to, which can look damaged for a moment: a meta page is read
    /// half-written, or commits are made between the reads of the two. So it is read again, for at most a second: a
    /// writer may be waiting for a processor in the middle of its write.
    static func checkMetaBesideWriters(path: String) throws -> Meta {
        let deadline = Deadline(seconds: 1)
        while true {
            do {
                return try checkMeta(path: path)
            } catch let error as GranaryError where error.code == .corrupt && !deadline.isOver {
                usleep(1000)
            }
        }
    }

    /// Checks the whole structure: about one microsecond for each page. No process may write to the file during this.
    ///
    /// - Parameter allowingLeaks: whether pages that are neither used nor free are counted instead of refused.
    @discardableResult
    package static func walk(path: String, allowingLeaks: Bool = false) throws -> Report {
        let file = try PageFile(path: path)
        let meta = try readMeta(of: file)
        let walk = try StructureWalk(file: file, meta: meta)
        return try walk.run(allowingLeaks: allowingLeaks)
    }

    /// Checks the structure of one committed state while the environment is open and other threads and processes may
    /// write to it. A read transaction on that state must be open until this returns: it prevents the reuse of the
    /// state's pages.
    ///
    /// - Parameter transaction: LMDB's number of the state.
    /// - Returns: Nil if neither meta page holds that state any more: two commits have been made since.
    static func walk(path: String, transaction: UInt64) throws -> Report? {
        let file = try PageFile(path: path)
        guard let meta = try readSettledMetas(of: file).first(where: { $0.transaction == transaction }) else {
            return nil
        }
        try check(meta, of: file)
        return try StructureWalk(file: file, meta: meta).run(allowingLeaks: true)
    }

    /// Both meta pages of a file that others may write to. One may be read half-written, or commits may be made between
    /// the two reads: then they do not agree, and are read again.
    private static func readSettledMetas(of file: PageFile) throws -> [Meta] {
        for _ in 0..<20 {
            if let metas = try? readMetas(of: file) { return metas }
            usleep(500)
        }
        return try readMetas(of: file)
    }

    static func corrupt(_ path: String, _ what: String) -> GranaryError {
        GranaryError(.corrupt, "\(path) is damaged: \(what). Restore it from a backup.")
    }
}

/// A file that is only read, in pieces, by position.
final class PageFile {
    let descriptor: Int32
    let path: String
    let size: Int

    init(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw EngineFailures.posix(errno, "opening the data file", path: path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw GranaryError(.notAStore, "\(path) is not a regular file. Check the path.")
        }
        self.descriptor = descriptor
        self.path = path
        self.size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Fills the buffer from the file, or throws if the file ends before.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        guard let base = buffer.baseAddress else { return }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, base + done, buffer.count - done, off_t(offset + done))
            if count < 0 {
                if errno == EINTR { continue }
                throw EngineFailures.posix(errno, "reading the data file", path: path)
            }
            if count == 0 { throw LMDBFileCheck.corrupt(path, "it ends at byte \(offset + done)") }
            done += count
        }
    }
}

extension UnsafeRawPointer {
    @inline(__always) func u16(_ offset: Int) -> Int {
        Int(UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }
    @inline(__always) func u32(_ offset: Int) -> Int {
        Int(UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    @inline(__always) func u64(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
