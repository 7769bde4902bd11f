import GranaryCore
import GranaryKeyValue
import Testing

@testable import GranaryLMDB

import GranaryPlatform
import TestSupport

@Suite struct EnvironmentTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `opening twice in one process is refused until it is closed`() throws {
        let first = try engine(in: folder)
        #expect(code { _ = try LMDBEngine(folder: folder.path) } == .alreadyOpen)
        try first.close()
        try first.close()
        #expect(code { _ = try first.beginRead() } == .closed)
        let second = try engine(in: folder)
        try second.close()
    }

    @Test func `closing is refused while a transaction is open`() throws {
        let engine = try engine(in: folder)
        let reader = try engine.beginRead()
        #expect(code { try engine.close() } == .busy)
        reader.end()
        try engine.close()
    }

    @Test func `a full map is an error that loses nothing, and the next attempt finds room`() throws {
        let engine = try engine(in: folder, options: .init(mapSize: 256 << 10))
        try engine.write { try $0.put("kept", "1") }
        let big = [UInt8](repeating: 7, count: 300 << 10)
        func attempt() -> GranaryError.Code? { code { try engine.write { try $0.put(Array("big".utf8), big) } } }
        #expect(attempt() == .full)
        #expect(try engine.read { try $0.keys() } == ["kept"])
        #expect(attempt() == nil)
        #expect(try engine.read { try $0.keys() } == ["big", "kept"])
        try engine.close()
        try LMDBFileCheck.walk(path: folder.data)
    }

    @Test func `a full map stays full while a snapshot is open or the maximum is reached`() throws {
        let engine = try engine(in: folder, options: .init(mapSize: 256 << 10, maximumMapSize: 512 << 10))
        let big = [UInt8](repeating: 7, count: 200 << 10)
        func attempt(_ key: UInt8) -> GranaryError.Code? { code { try engine.write { try $0.put([key], big) } } }
        #expect(attempt(1) == nil)
        let snapshot = try engine.beginRead()
        #expect(attempt(2) == .full)
        #expect(attempt(2) == .full)
        #expect(try snapshot.value([1]) == big)
        snapshot.end()
        #expect(attempt(2) == nil)
        #expect(attempt(3) == .full)
        #expect(attempt(3) == .full)
        #expect(try engine.read { try $0.count(in: one) } == 2)
    }

    @Test func `a spoilt transaction repeats its error, and a savepoint can be rolled back`() throws {
        let engine = try engine(in: folder, options: .init(mapSize: 128 << 10))
        let writer = try engine.beginWrite()
        try writer.put("a")
        try writer.beginSavepoint()
        let big = [UInt8](repeating: 7, count: 300 << 10)
        #expect(code { try writer.put([1], big) } == .full)
        #expect(code { try writer.put([1], []) } == .full)
        #expect(code { try writer.commit() } == .full)
        #expect(code { try writer.put([1], []) } == .closed)
        #expect(try engine.read { try $0.keys() } == [])
    }

    @Test func `more readers than slots are refused, and come back`() throws {
        let engine = try engine(in: folder, options: .init(maxReaders: 4))
        // lock.mdb is reserved in whole pages, which may give LMDB more slots than asked for.
        var readers: [any KeyValueReader] = []
        var failure: GranaryError.Code?
        while failure == nil, readers.count < 200 { failure = code { readers.append(try engine.beginRead()) } }
        #expect(failure == .busy)
        #expect(readers.count >= 4)
        for reader in readers { reader.end() }
        #expect(try engine.read { try $0.keys() } == [])
    }

    @Test func `a store opened read-only reads and refuses to write`() throws {
        let first = try engine(in: folder)
        try first.write { try $0.put("a", "1") }
        try first.close()
        let second = try engine(in: folder, options: .init(readOnly: true))
        #expect(try second.read { try $0.value("a") } == "1")
        #expect(code { _ = try second.beginWrite() } == .readOnly)
        #expect(code { try second.prepare(keyspaces: [Keyspace(5)]) } == .readOnly)
        #expect(try second.read { try $0.value("a") } == "1")
        try second.close()
    }

    @Test func `a missing folder, another file and a newer format are told apart`() throws {
        #expect(code { _ = try LMDBEngine(folder: folder.path + "/none") } == .invalidPath)
        #expect(code { _ = try LMDBEngine(folder: "") } == .invalidPath)
        write([UInt8](repeating: 65, count: 10_000), to: folder.data)
        #expect(code { _ = try LMDBEngine(folder: folder.path) } == .notAStore)
        unlink(folder.data)
        try engine(in: folder).close()
        var bytes = contents(of: folder.data)
        bytes[16 + 4] = 2
        write(bytes, to: folder.data)
        #expect(code { _ = try LMDBEngine(folder: folder.path) } == .newerFormat)
    }

    @Test func `files are readable by their owner only`() throws {
        let engine = try engine(in: folder)
        for name in ["data.mdb", "lock.mdb", "writer.lock", "open.marker"] {
            var status = stat()
            #expect(stat(folder.path + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        try engine.close()
    }

    @Test func `a compacted copy holds the same and is sound`() throws {
        let engine = try engine(in: folder)
        try engine.write {
            for index in 0..<2000 { try $0.put("\(index)", String(repeating: "v", count: index % 3000)) }
        }
        try engine.write { for index in 0..<1500 { try $0.remove("\(index)") } }
        let copy = try TemporaryFolder()
        try engine.copyCompacted(into: copy.path)
        let report = try LMDBFileCheck.walk(path: copy.data)
        #expect(report.entries == 500)
        #expect(report.freePages < 8)
        #expect(report.usedPages < (try LMDBFileCheck.walk(path: folder.data).usedPages))
        let copied = try LMDBEngine(folder: copy.path)
        try copied.prepare(keyspaces: [one])
        #expect(try copied.read { try $0.keys() } == engine.read { try $0.keys() })
        try copied.close()
        try engine.close()
    }

    @Test func `a file with pages that are neither used nor free is compacted`() throws {
        let first = try engine(in: folder)
        try first.write { for index in 0..<2000 { try $0.put("\(index)", "value \(index)") } }
        try first.close()
        // Ten pages more than there are, of which no list knows.
        var bytes = contents(of: folder.data)
        for page in 0..<2 {
            let last = page * 4096 + 16 + 24 + 96
            bytes[last] = UInt8(bytes.count / 4096 + 9)
        }
        bytes += [UInt8](repeating: 0, count: 10 * 4096)
        rewrite(bytes, in: folder)
        #expect(try LMDBFileCheck.walk(path: folder.data, allowingLeaks: true).leakedPages == 10)

        let engine = try engine(in: folder)
        let copy = try TemporaryFolder()
        try engine.copyCompacted(into: copy.path)
        let report = try LMDBFileCheck.walk(path: copy.data)
        #expect(report.entries == 2000 && report.leakedPages == 0)
        try engine.close()
    }

    @Test func `too many open files have advice of their own`() {
        let error = EngineFailures.posix(EMFILE, "opening the data file", path: folder.data)
        #expect(error.code == .io && error.message.contains("Too many files are open"))
    }

    @Test func `a failed system call has the code and the advice that it has for all files`() {
        for number in [ENOENT, EISDIR, ELOOP, EACCES, EROFS, ENOSPC, EFBIG, EMFILE] {
            let error = EngineFailures.posix(number, "opening the data file", path: folder.data)
            let (code, advice) = GranaryError.posixMeaning(number)
            #expect(error.code == code && error.message.hasSuffix(advice))
        }
    }

    /// A file with damage that only a walk sees, and the time of change put back, so that it is taken for clean.
    private func decay() throws {
        let first = try engine(in: folder)
        try first.write { writer in for index in 0..<2000 { try writer.put("\(index)", "value") } }
        try first.close()
        var bytes = contents(of: folder.data)
        let page = try #require(
            (2..<bytes.count / 4096).first { (page: Int) -> Bool in
                let start = page * 4096
                return bytes[start + 10] == 2 && bytes[start + 12] > 200
            })
        bytes[page * 4096] ^= 0x80
        rewrite(bytes, in: folder)
    }

    @Test(arguments: [LMDBEngine.Options.Verification.automatic, .full])
    func `a page that decays after a clean close is found at opening`(
        _ verify: LMDBEngine.Options.Verification
    ) throws {
        try decay()
        #expect(code { _ = try LMDBEngine(folder: folder.path, options: .init(verify: verify)) } == .corrupt)
    }

    @Test func `only a large file that was closed cleanly is opened without a walk, and then verify walks`() throws {
        try decay()
        var bytes = contents(of: folder.data)
        // A hole behind the last page makes it a large file.
        bytes += [0]
        rewrite(bytes, in: folder, size: LMDBEngine.Options.quickWalk + 4096)
        let options = LMDBEngine.Options(verify: .automatic)
        let engine = try LMDBEngine(folder: folder.path, options: options)
        let faults = try engine.verify()
        #expect(faults.count == 1 && faults[0].contains("damaged"))
        try engine.close()
        unlink(folder.path + "/open.marker")
        #expect(code { _ = try LMDBEngine(folder: folder.path, options: options) } == .corrupt)
    }

    @Test func `verify walks while others write`() async throws {
        let engine = try engine(in: folder)
        try engine.write { writer in for index in 0..<5000 { try writer.put("\(index)", "value") } }
        let isEnough = CancellationFlag()
        let writing = Task.detached {
            var random = SeededNumbers(seed: TestSeed.of(5))
            var commits = 0
            while !isEnough.isSet || commits < 10 {
                try engine.write { writer in
                    for index in 0..<50 { try writer.put("\(random.below(5000))", "\(index)") }
                }
                commits += 1
            }
        }
        for _ in 0..<100 { #expect(try engine.verify() == []) }
        isEnough.set()
        try await writing.value
        try engine.close()
    }
}

func contents(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    _ = pread(descriptor, &bytes, bytes.count, 0)
    return bytes
}

func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    _ = pwrite(descriptor, bytes, bytes.count, 0)
}
