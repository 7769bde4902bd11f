import GranaryStoreKit

extension LMDBFileCheck {
    /// The root record of a tree (`MDB_db`).
    package struct Tree: Sendable, Hashable {
        package static let none = UInt64.max
        static let size = 48

        var pad: Int
        var flags: Int
        var depth: Int
        var branchPages: UInt64
        var leafPages: UInt64
        var overflowPages: UInt64
        package var entries: UInt64
        var root: UInt64

        init(at bytes: UnsafeRawPointer) {
            pad = bytes.u32(0)
            flags = bytes.u16(4)
            depth = bytes.u16(6)
            branchPages = bytes.u64(8)
            leafPages = bytes.u64(16)
            overflowPages = bytes.u64(24)
            entries = bytes.u64(32)
            root = bytes.u64(40)
        }
    }

    /// The newest committed state's meta page (`MDB_meta`).
    package struct Meta: Sendable, Hashable {
        package var transaction: UInt64
        package var pageSize: Int
        var mapSize: UInt64
        package var lastPage: UInt64
        var free: Tree
        package var main: Tree
    }

    private static let pageHeader = 16
    private static let metaSize = 16 + 24 + 2 * Tree.size + 16

    /// The newer of both meta pages, checked.
    static func readMeta(of file: PageFile) throws -> Meta {
        let newest = try readMetas(of: file)[0]
        try check(newest, of: file)
        return newest
    }

    /// Reads both meta pages, checks that they agree with each other, and returns the newer one first.
    static func readMetas(of file: PageFile) throws -> [Meta] {
        guard file.size >= 2 * 512 else {
            throw GranaryError(.notAStore, "\(file.path) is too short for an LMDB data file. Check the path.")
        }
        let first = try meta(0, at: 0, of: file)
        let second = try meta(1, at: first.pageSize, of: file)
        func bad(_ what: String) -> GranaryError { corrupt(file.path, what) }
        guard first.pageSize == second.pageSize else { throw bad("its meta pages disagree about the page size") }
        // Page n holds the commits whose number is n modulo 2; a new file has 0 in both.
        guard first.transaction % 2 == 0,
            second.transaction % 2 == 1 || (first.transaction, second.transaction) == (0, 0)
        else { throw bad("a transaction number is in the wrong meta page") }
        guard max(first.transaction, second.transaction) <= StoredCount.limit else {
            throw bad("a transaction number is impossible")
        }
        let gap =
            first.transaction > second.transaction
            ? first.transaction - second.transaction : second.transaction - first.transaction
        guard gap <= 1 else { throw bad("the transaction numbers of its meta pages are too far apart") }
        return first.transaction < second.transaction ? [second, first] : [first, second]
    }

    /// Checks that the contents of a meta page fit the file.
    static func check(_ newest: Meta, of file: PageFile) throws {
        func bad(_ what: String) -> GranaryError { corrupt(file.path, what) }
        let pageSize = UInt64(newest.pageSize)
        let filePages = UInt64(file.size) / pageSize
        guard filePages >= 2 else { throw bad("it is shorter than its meta pages") }
        guard newest.lastPage >= 1, newest.lastPage < newest.mapSize / pageSize else {
            throw bad("the last page lies outside the map")
        }
        // Pages past the end of the file are legal only while free, and each free page costs 8 bytes of the file.
        guard newest.lastPage <= filePages + UInt64(file.size) / 8 else {
            throw bad("the last page lies far behind the end of the file")
        }
        for (tree, name) in [(newest.free, "free"), (newest.main, "main")] where tree.root != Tree.none {
            guard tree.root >= 2, tree.root <= newest.lastPage, tree.root < filePages else {
                throw bad("the root of the \(name) tree lies outside the file")
            }
            guard tree.depth >= 1, tree.depth <= StructureWalk.maximumDepth else {
                throw bad("the depth of the \(name) tree is impossible")
            }
        }
        // 0x08 (integer keys) is always set for the free tree; 0x4000 says that the file was not opened by its folder.
        guard newest.free.flags & ~0x4000 == 0x08, newest.main.flags == 0 else {
            throw bad("it has flags that Granary never writes")
        }
    }

    /// The contents for the meta page of a commit that make the commit invalid: the state before it, with the number of
    /// the state before that, which the page held.
    static func metaPage(before commit: UInt64, pageSize: Int, path: String) throws -> [UInt8] {
        let file = try PageFile(path: path)
        let kept = Int((commit - 1) % 2)
        guard try meta(kept, at: kept * pageSize, of: file).transaction == commit - 1 else {
            throw corrupt(path, "the state before the newest commit is missing")
        }
        var page = [UInt8](repeating: 0, count: pageSize)
        try page.withUnsafeMutableBytes { bytes in
            try file.read(bytes, at: kept * pageSize)
            bytes.storeBytes(of: (commit % 2).littleEndian, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(
                of: (commit < 2 ? 0 : commit - 2).littleEndian, toByteOffset: pageHeader + 32 + 2 * Tree.size,
                as: UInt64.self)
        }
        return page
    }

    private static func meta(_ number: Int, at offset: Int, of file: PageFile) throws -> Meta {
        guard offset + metaSize <= file.size else { throw corrupt(file.path, "meta page \(number) is missing") }
        return try withUnsafeTemporaryAllocation(byteCount: metaSize, alignment: 8) { buffer in
            try file.read(buffer, at: offset)
            guard let page = UnsafeRawPointer(buffer.baseAddress) else {
                throw corrupt(file.path, "meta page \(number) is missing")
            }
            let bytes = page + pageHeader
            let isMeta = page.u16(10) == 0x08 && page.u64(0) == UInt64(number)
            guard bytes.u32(0) == 0xBEEF_C0DE else {
                if isMeta { throw corrupt(file.path, "meta page \(number) has no magic number") }
                guard number == 0 else { throw corrupt(file.path, "meta page 1 is not a meta page") }
                throw GranaryError(.notAStore, "\(file.path) is not an LMDB data file. Check the path.")
            }
            guard isMeta else { throw corrupt(file.path, "the header of meta page \(number) is wrong") }
            let version = bytes.u32(4)
            guard version == 1 else {
                throw GranaryError(
                    .newerFormat, "\(file.path) has LMDB data version \(version), not 1. Update this program.")
            }
            guard bytes.u64(8) == 0 else { throw corrupt(file.path, "it asks for a fixed address") }
            let free = Tree(at: bytes + 24)
            let pageSize = free.pad
            guard pageSize >= 512, pageSize <= 32768, pageSize & (pageSize - 1) == 0 else {
                throw corrupt(file.path, "the page size of meta page \(number) is impossible")
            }
            return Meta(
                transaction: bytes.u64(32 + 2 * Tree.size), pageSize: pageSize, mapSize: bytes.u64(16),
                lastPage: bytes.u64(24 + 2 * Tree.size), free: free, main: Tree(at: bytes + 24 + Tree.size))
        }
    }
}
