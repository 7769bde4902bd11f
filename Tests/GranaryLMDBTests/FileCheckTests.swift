import Dispatch
import GranaryCore
import GranaryKeyValue
import Testing

@testable import GranaryLMDB

import GranaryPlatform
import TestSupport

@Suite struct FileCheckTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `a new file and an empty keyspace are sound`() throws {
        try LMDBEngine(folder: folder.path).close()
        var report = try LMDBFileCheck.walk(path: folder.data)
        #expect(report.usedPages == 0)
        #expect(report.transaction == 0)
        try engine(in: folder).close()
        report = try LMDBFileCheck.walk(path: folder.data)
        #expect(report.namedDatabases == 1)
        #expect(report.usedPages == 1)
    }

    @Test(arguments: (1...4).map(TestSeed.of))
    func `random transactions agree with a model and leave a sound file`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let spaces = [one, Keyspace(2), Keyspace(3)]
        var engine = try engine(in: folder, keyspaces: spaces)
        var model = [[[UInt8]: [UInt8]]](repeating: [:], count: spaces.count)
        let longest = [12, 511, 60, 511][Int(seed % 4)]
        for round in 0..<60 {
            let writer = try engine.beginWrite()
            var saved: [[[[UInt8]: [UInt8]]]] = [model]
            for _ in 0..<random.below(60) {
                let space = random.below(spaces.count)
                // Short prefixes of few letters make keys meet.
                let key = (0..<1 + random.below(random.below(8) == 0 ? longest : 6)).map { _ in UInt8(random.below(3)) }
                switch random.below(24) {
                case 0 where saved.count < 6:
                    try writer.beginSavepoint()
                    saved.append(model)
                case 1 where saved.count > 1:
                    try writer.rollbackSavepoint()
                    model = saved.removeLast()
                case 2 where saved.count > 1:
                    try writer.releaseSavepoint()
                    saved.removeLast()
                case 3 where random.below(4) == 0:
                    try writer.deleteAll(in: spaces[space])
                    model[space] = [:]
                case 4...9:
                    let there = try writer.remove(key, in: spaces[space])
                    #expect(there == (model[space].removeValue(forKey: key) != nil))
                default:
                    let value = random.bytes(random.below(10) == 0 ? random.below(20_000) : random.below(300))
                    let mode: KeyValuePutMode = [.insert, .replace, .append][random.below(3)]
                    let wrote = try writer.put(key, value, in: spaces[space], mode: mode)
                    #expect(wrote == (mode != .insert || model[space][key] == nil))
                    if wrote { model[space][key] = value }
                }
            }
            if random.below(5) == 0 {
                writer.end()
                model = saved[0]
            } else {
                try writer.commit()
            }
            for (space, keyspace) in spaces.enumerated() {
                let expected = model[space].sorted { $0.key.lexicographicallyPrecedes($1.key) }
                let found = try engine.read { try $0.entries(in: keyspace) }
                #expect(found.map { $0.0 } == expected.map { $0.key })
                #expect(found.map { $0.1 } == expected.map { $0.value })
            }
            if round % 10 == 9 {
                try engine.close()
                let report = try LMDBFileCheck.walk(path: folder.data)
                #expect(report.entries == model.reduce(0) { $0 + $1.count })
                engine = try GranaryLMDBTests.engine(in: folder, keyspaces: spaces)
            }
        }
        try engine.close()
    }

    @Test func `no damaged file that passes the check ends the process`() throws {
        let seed = TestSeed.of(20_240_501)
        let copies = getenv("GRANARY_COPIES").flatMap { Int(String(cString: $0)) } ?? 1_008
        print("damage: seed \(seed), \(copies) copies")
        let original = try sampleFile(in: folder, seed: seed)
        #expect(original.count > 500_000)
        let report = try LMDBFileCheck.walk(path: folder.data)
        #expect(report.freePages > 0)
        var random = SeededNumbers(seed: seed)
        let target = try TemporaryFolder()
        var refused = 0
        for kind in Damage.allCases {
            var count = DamageCount()
            for _ in 0..<copies / Damage.allCases.count {
                var bytes = original
                kind.apply(to: &bytes, &random)
                write(bytes, to: target.data)
                try useThoroughly(target, &count)
            }
            print("damage: \(kind): refused \(count.refused), read \(count.readable), error later \(count.failedLater)")
            refused += count.refused
        }
        // Of 112 single bits all may be in free space, so each kind alone need not be refused.
        #expect(refused > 0)
    }

    @Test(arguments: [
        (0, "page number"), (10, "kind"), (12, "lower bound"), (14, "upper bound"), (16, "pointer"),
    ])
    func `each field of a page header is checked`(offset: Int, field: String) throws {
        let original = try sampleFile(in: folder, seed: 5)
        var pages = 0
        for page in 2..<original.count / 4096 where original[page * 4096 + 10] == 2 && original[page * 4096 + 14] != 0 {
            var bytes = original
            bytes[page * 4096 + offset] ^= 0x04
            write(bytes, to: folder.data)
            let failure = code { try LMDBFileCheck.walk(path: folder.data) }
            // A free page may hold anything.
            if failure == .corrupt { pages += 1 } else { #expect(failure == nil) }
        }
        #expect(pages > 10)
    }

    @Test func `a meta page that changes while it is read is no damage`() throws {
        let original = try sampleFile(in: folder, seed: 7)
        let path = folder.data
        var bytes = original
        // As if commits had been made between the reads of the two pages.
        bytes[144] &+= 4
        write(bytes, to: path)
        #expect(code { _ = try LMDBFileCheck.checkMeta(path: path) } == .corrupt)
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + .milliseconds(20)) {
            try? OpenFile(path, .writing).write(original)
        }
        #expect(code { _ = try LMDBFileCheck.checkMetaBesideWriters(path: path) } == nil)
        write(bytes, to: path)
        #expect(code { _ = try LMDBFileCheck.checkMetaBesideWriters(path: path) } == .corrupt)
    }

    @Test func `a truncated file is refused at every page`() throws {
        let original = try sampleFile(in: folder, seed: 6)
        let used = try LMDBFileCheck.walk(path: folder.data).usedPages
        var refused = 0
        for page in 0..<original.count / 4096 {
            write(Array(original.prefix(page * 4096)), to: folder.data)
            if code({ try LMDBFileCheck.walk(path: folder.data) }) != nil { refused += 1 }
        }
        #expect(refused >= used)
    }
}
