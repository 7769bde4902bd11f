import GranaryStoreKit
import GranaryPlatform

/// One walk over every tree of a data file.
///
/// Each page that is reached, or listed as free, is marked once. Reaching one twice is damage, and so the walk ends on
/// any input. The trees are walked with an explicit stack of at most ``maximumDepth`` page buffers. Bounds that a
/// branch page sets for its children point into the buffers of the levels above, which stay unchanged while a child is
/// examined.
final class StructureWalk {
    static let maximumDepth = 32
    static let header = 16
    static let nodeHeader = 8
    static let longestKey = 511

    typealias Tree = LMDBFileCheck.Tree

    let file: PageFile
    let meta: LMDBFileCheck.Meta
    let pageSize: Int
    let filePages: UInt64
    /// The largest node that LMDB keeps inside a leaf.
    let largestNode: Int
    /// One bit for each page: used or free.
    private let marks: UnsafeMutablePointer<UInt64>
    private var marked: UInt64 = 0
    /// One buffer for each level.
    private var buffers: [UnsafeMutableRawPointer] = []
    /// One bit for every second byte of a page: a node begins there.
    let starts: UnsafeMutablePointer<UInt64>
    let startWords: Int

    var report = LMDBFileCheck.Report()
    /// The named databases found in the main tree, to be walked after it.
    var named: [(name: String, tree: Tree)] = []
    /// The tree being walked, for messages.
    var treeName = ""

    init(file: PageFile, meta: LMDBFileCheck.Meta) throws {
        self.file = file
        self.meta = meta
        pageSize = meta.pageSize
        filePages = UInt64(file.size / meta.pageSize)
        largestNode = (((pageSize - Self.header) / 2) & -2) - 2
        startWords = (pageSize / 2 + 63) / 64
        starts = .allocate(capacity: startWords)
        // calloc: pages of the bitmap that are never touched take no memory.
        guard let bits = calloc(Int(meta.lastPage / 64) + 1, 8) else {
            starts.deallocate()
            throw GranaryError(.limit, "\(file.path) is too large to be checked with the memory there is.")
        }
        marks = bits.assumingMemoryBound(to: UInt64.self)
        report.transaction = meta.transaction
        report.pageSize = pageSize
    }

    deinit {
        free(marks)
        starts.deallocate()
        for buffer in buffers { buffer.deallocate() }
    }

    func run(allowingLeaks: Bool) throws -> LMDBFileCheck.Report {
        try walk(meta.free, kind: .free, name: "the free list")
        try walk(meta.main, kind: .main, name: "the list of databases")
        report.namedDatabases = named.count
        for database in named {
            try walk(database.tree, kind: .named, name: database.name)
            report.entries += Int(clamping: database.tree.entries)
        }
        report.usedPages = Int(marked) - report.freePages
        report.leakedPages = Int(meta.lastPage - 1 - marked)
        guard allowingLeaks || report.leakedPages == 0 else {
            throw damage("\(report.leakedPages) pages are neither used nor free")
        }
        return report
    }

    func damage(_ what: String) -> GranaryError { LMDBFileCheck.corrupt(file.path, what) }

    func damage(_ what: String, page: UInt64) -> GranaryError { damage("\(what) (page \(page), \(treeName))") }

    /// Marks a page as used or free, once.
    @inline(__always) func mark(_ page: UInt64) throws {
        guard page >= 2, page <= meta.lastPage else { throw damage("a page number is out of range", page: page) }
        let word = Int(page >> 6)
        let bit: UInt64 = 1 << (page & 63)
        guard marks[word] & bit == 0 else { throw damage("a page is used twice, or both used and free", page: page) }
        marks[word] |= bit
        marked += 1
        if marked & 0xFFFF == 0 { try LongWork.checkCancellation() }
    }

    func markUsed(_ page: UInt64) throws {
        try mark(page)
        guard page < filePages else { throw damage("a page lies behind the end of the file", page: page) }
    }

    func buffer(level: Int) -> UnsafeMutableRawPointer {
        while buffers.count <= level { buffers.append(.allocate(byteCount: pageSize, alignment: 16)) }
        return buffers[level]
    }
}
