import Foundation
import GranaryCore
import GranaryFormats
import GranaryLMDB
import GranaryPlatform
import GranarySQLite
import TestSupport
import Testing

/// Stores that this version or an earlier one has written, in `Stores/VERSION/KIND`, are opened, read and migrated.
///
/// `Tests/GoldenTests/write VERSION` writes those of this version, when the form of a store has changed. Those that exist stay.
struct GoldenTests {
    enum Kind: String, CaseIterable {
        case sqlite, checked, lmdb

        func provider(_ path: String) -> any StoreProvider {
            switch self {
            case .sqlite: .sqlite(atPath: path)
            case .checked: .sqlite(atPath: path, options: .init(rowChecksums: true))
            case .lmdb: .lmdb(atPath: path, options: .init(mapSize: 1 << 20))
            }
        }
    }

    private static let stores = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Stores"
    private static let versions = names(stores)
    /// Stores that were made from the LMDB store of version 1, by the version that wrote them.
    private static let seeded = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Seeded"
    /// Stores with what a store keeps besides plain values.
    private static let kept = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Kept"
    private static let versionToWrite = ProcessInfo.processInfo.environment["GRANARY_GOLDEN"]
    /// The sets of stores that the version to write does not have yet.
    private static let setsToWrite = [stores, seeded, kept].filter { set in
        versionToWrite.map { !FileManager.default.fileExists(atPath: "\(set)/\($0)") } ?? false
    }

    @Test(.enabled(if: versionToWrite == nil)) func `there is a store of each kind of each version`() {
        #expect(Self.versions.contains("1"))
        for version in Self.versions {
            #expect(names("\(Self.stores)/\(version)").sorted() == Kind.allCases.map(\.rawValue).sorted())
        }
    }

    /// Unpacks a store into a folder, and returns its path.
    private func unpack(
        _ version: String, _ kind: Kind, from stores: String = stores, as name: String = "Golden",
        into folder: TemporaryFolder
    ) throws -> String {
        let (source, path) = ("\(stores)/\(version)/\(kind.rawValue)", folder("\(name).granary"))
        for file in try FileManager.default.subpathsOfDirectory(atPath: source) where file.hasSuffix(".gz") {
            let target = "\(path)/\(file.dropLast(3))"
            try FileManager.default.createDirectory(
                atPath: URL(fileURLWithPath: target).deletingLastPathComponent().path, withIntermediateDirectories: true
            )
            var packed = ByteSource.file("\(source)/\(file)")
            packed.unpackingLimits.maximumRatio = 10_000
            let stream = try packed.open()
            var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
            while case let count = try chunk.withUnsafeMutableBytes({ try stream.read(into: $0) }), count > 0 {
                bytes += chunk.prefix(count)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: target))
        }
        return path
    }

    private func expectContents(_ stack: Stack, of entities: [String]? = nil) throws {
        for (entity, values) in GoldenStore.records where entities?.contains(entity) ?? true {
            #expect(try GoldenStore.contents(stack, entity) == values)
        }
        #expect(try stack.blocking.verify() == [])
    }

    @Test(.enabled(if: versionToWrite == nil), arguments: versions, Kind.allCases)
    func `a store that was written by a version is read and written`(_ version: String, _ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let path = try unpack(version, kind, into: folder)
        let stack = try Stack(
            GoldenStore.schema, store: kind.provider(path), migration: .refuse, history: .everything)
        try expectContents(stack)
        #expect(
            try stack.blocking.read {
                try $0.fetch(Request("Thing").where("text BEGINSWITH \"Zo\"")).count
            } == 1)
        #expect(
            try stack.blocking.read {
                try $0.fetch(Request("Thing").where("real < 0 AND parent.count == 1")).count
            } == 1)
        let history = try stack.blocking.read { try $0.changes(since: HistoryToken(transactionNumber: 0)) }
        #expect(history.map(\.transactionNumber) == [1, 2, 3])
        #expect(history.first?.origin.name == "golden")
        let key = try stack.blocking.write { tx in try tx.insert(DynamicRecord("Thing", in: tx.schema)).key }
        #expect(key == .integer(5), "keys go on")
        #expect(throws: GranaryError.self, "uniqueness holds") {
            try stack.blocking.write { tx in
                var record = try DynamicRecord("Thing", in: tx.schema)
                try record.set("uuid", toStored: GoldenStore.records[0].values[0][12])
                try tx.insert(record)
            }
        }
        try stack.blocking.close()
    }

    @Test(.enabled(if: versionToWrite == nil), arguments: versions, Kind.allCases)
    func `a store that was written by a version is migrated`(_ version: String, _ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let path = try unpack(version, kind, into: folder)
        var entities = GoldenStore.schema.entities
        entities[0].attributes.append(Attribute("mood", String.self, default: "calm"))
        let instant = try Stack(Schema(entities: entities), store: kind.provider(path))
        try expectContents(instant, of: ["Name", "Name_things", "Token"])
        #expect(
            try GoldenStore.contents(instant, "Thing")
                == GoldenStore.records[0].values.map { $0 + [.string("calm")] })
        try instant.blocking.close()
        entities[3].attributes[1] = Attribute("amount", Double?.self).renamed(from: "value")
        entities[1].attributes[1].type = .data
        entities[0].attributes[14] = Attribute("count", String.self, default: "")
        let rewritten = try Stack(Schema(entities: entities), store: kind.provider(path), migration: .inferred)
        try expectContents(rewritten, of: ["Name_things", "Token"])
        #expect(try GoldenStore.contents(rewritten, "Thing").map { $0[14] } == ["1", "-1", "7"].map { .string($0) })
        try rewritten.blocking.close()
    }

    @Test(.enabled(if: versionToWrite == nil), arguments: names(seeded), Kind.allCases)
    func `a store that was written by a version knows the seed that it was made from`(
        _ version: String, _ kind: Kind
    ) async throws {
        let folder = try TemporaryFolder()
        let path = try unpack(version, kind, from: Self.seeded, into: folder)
        let seed = Seed.store(Kind.lmdb.provider(try unpack("1", .lmdb, as: "Seed", into: folder)))
        var stack = try await Stack(GoldenStore.schema, store: kind.provider(path), migration: .refuse, seed: seed)
        try expectContents(stack, of: ["Thing", "Name", "Token"])
        try await stack.write { tx in _ = try tx.delete("Name", "") }
        try await stack.reset(to: .seed)
        try expectContents(stack)
        try await stack.close()
        // Another seed has another commit.
        let place = try unpack("1", .sqlite, as: "Other", into: folder)
        let other = try await Stack(GoldenStore.schema, store: .sqlite(atPath: place), history: .everything)
        try await other.write { tx in _ = try tx.delete("Name", "") }
        try await other.close()
        stack = try await Stack(
            GoldenStore.schema, store: kind.provider(path), seed: .store(.sqlite(atPath: place, options: .readOnly)))
        let error = await #expect(throws: GranaryError.self) { try await stack.reset(to: .seed) }
        #expect(error?.code == .seedMismatch)
        try await stack.close()
    }

    @Test(.enabled(if: versionToWrite == nil), arguments: names(kept), [Kind.sqlite, .lmdb])
    func `a store keeps the files, the JSON, the steps and the renamed values that a version has written`(
        _ version: String, _ kind: Kind
    ) throws {
        let folder = try TemporaryFolder()
        let path = try unpack(version, kind, from: Self.kept, into: folder)
        let files = names("\(path)/external")
        #expect(files.count == 2, "equal values are one file, and short ones stay in the rows")
        let provider = kind.provider(path)
        func open(_ plan: MigrationPlan) throws -> Stack {
            try Stack(KeptStore.schema, store: provider, migration: .plan(plan), history: .everything)
        }
        let stack = try open(KeptStore.plan)
        #expect(stack.migration == MigrationResult())
        #expect(stack.schema.appliedSteps.map(\.name) == ["moods", "titles"])
        #expect(try GoldenStore.contents(stack, "Photo") == KeptStore.photos)
        #expect(try stack.blocking.verify() == [])
        let history = try stack.blocking.read { try $0.changes(since: HistoryToken(transactionNumber: 0)) }
        #expect(history.first?.origin.name == "golden")
        // A file goes with the last record that has its value.
        try stack.blocking.write { tx in _ = try tx.delete("Photo", 1) }
        #expect(names("\(path)/external").filter(files.contains).count == 2)
        try stack.blocking.write { tx in
            for key in [2, 3] { _ = try tx.delete("Photo", Int64(key)) }
        }
        #expect(try GoldenStore.contents(stack, "Photo") == Array(KeptStore.photos.dropFirst(3)))
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
        #expect(names("\(path)/external").filter(files.contains).isEmpty)
        // The steps that it has taken are known, and the names that its values had.
        let error = #expect(throws: GranaryError.self) { try open(MigrationPlan(.inferred("moods"))) }
        #expect(error?.migrationDrift != nil)
        let again = KeptStore.schema(renaming: [("calm", "quiet"), ("serene", "quiet"), ("glad", "happy")])
        let renamed = try Stack(again, store: provider, migration: .inferred)
        #expect(try GoldenStore.contents(renamed, "Photo").map { $0[2] } == [.string("happy"), .string("happy")])
        #expect(try renamed.blocking.verify() == [])
        try renamed.blocking.close()
    }

    @Test(.enabled(if: versionToWrite == nil)) func `there is a store with what is kept of version 1`() {
        #expect(names("\(Self.kept)/1") == ["lmdb", "sqlite"])
    }

    @Test(.enabled(if: setsToWrite.contains(stores), "nothing to write"), arguments: Kind.allCases)
    func `the stores of this version are written`(_ kind: Kind) throws {
        let folder = "\(Self.stores)/\(Self.versionToWrite ?? "")"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(kind.rawValue)"
        let stack = try Stack(GoldenStore.schema, store: kind.provider(path), history: .everything)
        try GoldenStore.write(stack)
        try stack.blocking.close()
        try expectContents(Stack(GoldenStore.schema, store: kind.provider(path)))
    }

    @Test(.enabled(if: setsToWrite.contains(kept), "nothing to write"), arguments: [Kind.sqlite, .lmdb])
    func `the stores of this version with what is kept are written`(_ kind: Kind) throws {
        let folder = "\(Self.kept)/\(Self.versionToWrite ?? "")"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try KeptStore.write(kind.provider("\(folder)/\(kind.rawValue)"))
    }

    @Test(.enabled(if: setsToWrite.contains(seeded), "nothing to write"), arguments: Kind.allCases)
    func `the stores of this version with a seed are written`(_ kind: Kind) throws {
        let scratch = try TemporaryFolder()
        let seed = Seed.store(Kind.lmdb.provider(try unpack("1", .lmdb, into: scratch)))
        let folder = "\(Self.seeded)/\(Self.versionToWrite ?? "")"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Stack(GoldenStore.schema, store: kind.provider("\(folder)/\(kind.rawValue)"), seed: seed).blocking.close()
    }
}
