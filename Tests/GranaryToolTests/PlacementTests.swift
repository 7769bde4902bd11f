import Foundation
import Granary
import GranaryLMDB
import GranaryPlatform
import GranarySQLite
import GranaryStoreKit
import GranaryTool
import TestSupport
import Testing

/// Where stores are put, and for whom.
struct PlacementTests {
    private func provider(_ kind: StoreKind, _ path: String, creatingFolders: Bool) -> any StoreProvider {
        if kind == .lmdb {
            return LMDBStoreProvider.lmdb(atPath: path, options: .init(creatingFolders: creatingFolders))
        }
        return SQLiteStoreProvider.sqlite(atPath: path, options: .init(creatingFolders: creatingFolders))
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber).intValue
    }

    @Test(arguments: Tool.kinds) func `folders are made where that is asked for, for this user alone`(_ kind: StoreKind)
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder("a/b/Music.granary")
        let refused = #expect(throws: GranaryError.self) {
            _ = try Stack(MusicStore.schema, store: provider(kind, path, creatingFolders: false))
        }
        #expect(refused?.code == .invalidPath && !exists(folder("a")))
        let made = provider(kind, path, creatingFolders: true)
        #expect(try made.exists() == false)
        #expect(throws: GranaryError.self) { _ = try Stack(store: made) }
        #expect(!exists(folder("a")), "what creates no store creates no folders")
        let stack = try Stack(MusicStore.schema, store: made)
        try stack.blocking.write { try $0.insert(Genre(code: "rock", name: "Rock")) }
        #expect(try made.exists() == true)
        for name in ["a", "a/b", "a/b/Music.granary", "a/b/Music.granary/gen-0001"] {
            #expect(try permissions(folder(name)) == 0o700, "\(name)")
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(path)/gen-0001") {
            #expect(try permissions("\(path)/gen-0001/\(name)") == 0o600, "\(name)")
        }
        try stack.blocking.close()
    }

    @Test(arguments: Tool.kinds) func `folders that were made go again if the store cannot be made`(_ kind: StoreKind)
        throws
    {
        struct Refusal: Error {}
        let folder = try TemporaryFolder()
        let made = provider(kind, folder("a/b/c/Music.granary"), creatingFolders: true)
        try FileManager.default.createDirectory(atPath: folder("a"), withIntermediateDirectories: true)
        #expect(throws: Refusal.self) {
            _ = try made.open(
                MusicStore.schema, migration: .automatic, contents: StoreContents { _, _ in throw Refusal() })
        }
        #expect(exists(folder("a")) && !exists(folder("a/b")), "what was there stays")
        try FileManager.default.createDirectory(atPath: folder("a/b"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder("a/b/c"), withDestinationPath: folder("nowhere"))
        #expect(throws: GranaryError.self) { _ = try Stack(MusicStore.schema, store: made) }
        #expect(exists(folder("a/b")))
    }

    @Test func `a URL that names no file is refused`() throws {
        let url = try #require(URL(string: "https://example.org/Music.granary"))
        for provider in [SQLiteStoreProvider.sqlite(at: url), LMDBStoreProvider.lmdb(at: url)] as [any StoreProvider] {
            let errors = [
                #expect(throws: GranaryError.self) { _ = try Stack(MusicStore.schema, store: provider) },
                #expect(throws: GranaryError.self) { _ = try provider.exists() },
                #expect(throws: GranaryError.self) { try provider.destroy() },
                #expect(throws: GranaryError.self) { _ = try provider.openStored() },
            ]
            for error in errors { #expect(error?.code == .invalidPath) }
        }
    }

    @Test func `a store by name is where the platform keeps an application's data`() throws {
        let home = try FileSystem.dataHome()
        #expect(try StorePlacement(named: "Music", application: "player").path() == "\(home)/player/Music.granary")
        #expect(try StorePlacement(named: "Music").path().hasSuffix("/Music.granary"))
        #if os(Linux)
            #expect(try FileSystem.dataHome(["XDG_DATA_HOME": "/data", "HOME": "/home/a"]) == "/data")
            #expect(try FileSystem.dataHome(["XDG_DATA_HOME": "data", "HOME": "/home/a"]) == "/home/a/.local/share")
            #expect(throws: GranaryError.self) { try FileSystem.dataHome(["HOME": ""]) }
        #endif
    }

    @Test func `a name that is not that of a folder is refused before anything is made`() throws {
        for name in ["", ".", "..", ".hidden", "a/b", "a\\b", "a:b", "a\nb", "a\0", String(repeating: "a", count: 201)]
        {
            let providers: [any StoreProvider] = [
                SQLiteStoreProvider.sqlite(named: name), LMDBStoreProvider.lmdb(named: name),
            ]
            for provider in providers {
                let error = #expect(throws: GranaryError.self, "\(name)") {
                    _ = try Stack(MusicStore.schema, store: provider)
                }
                #expect(error?.code == .invalidPath, "\(name)")
            }
            #expect(throws: GranaryError.self) { try StorePlacement(named: "Music", application: name).path() }
        }
    }

    @Test func `a log that may be short is`() throws {
        let folder = try TemporaryFolder()
        var tuning = SQLiteTuning()
        tuning.logSize = 1 << 18
        (tuning.cacheSize, tuning.readerCacheSize, tuning.idleReaders) = (1 << 20, 1 << 20, 1)
        let stack = try Stack(
            MusicStore.schema,
            store: .sqlite(atPath: folder("Music.granary"), options: .init(durability: .off, tuning: tuning)))
        for number in 0..<2_000 {
            try stack.blocking.write {
                _ = try $0.insert(Genre(code: "\(number)", name: String(repeating: "x", count: 500)))
            }
        }
        let file = try #require(stack.location)
        let log = try #require(FileManager.default.attributesOfItem(atPath: "\(file)-wal")[.size] as? NSNumber).intValue
        #expect(log < 2 << 18, "the log has \(log) bytes")
        try stack.blocking.close()
    }

    @Test func `a store in LMDB grows no further than it may`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(
            MusicStore.schema,
            store: .lmdb(
                atPath: folder("Music.granary"),
                options: .init(durability: .off, mapSize: 1 << 20, maximumMapSize: 1 << 20, maxReaders: 16)))
        let error = #expect(throws: GranaryError.self) {
            for number in 0..<100 {
                try stack.blocking.write {
                    _ = try $0.insert(
                        (0..<100).map { Genre(code: "\(number).\($0)", name: String(repeating: "x", count: 500)) })
                }
            }
        }
        #expect(error?.code == .full)
        try stack.blocking.close()
    }

    @Test(arguments: Tool.kinds)
    func `all files have the permissions that the store was made with`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        func provider(_ path: String, _ permissions: FilePermissions) -> any StoreProvider {
            if kind == .lmdb { return LMDBStoreProvider.lmdb(atPath: path, options: .init(permissions: permissions)) }
            return SQLiteStoreProvider.sqlite(atPath: path, options: .init(permissions: permissions))
        }
        func schema(_ rank: AttributeType) -> Schema {
            Schema(entities: [
                Entity(
                    "Photo", key: "id",
                    attributes: [
                        Attribute("id", .int64), Attribute("image", .data).external(),
                        Attribute("rank", rank, isOptional: true),
                    ])
            ])
        }
        func check(_ place: String, _ files: Int, _ when: String) throws {
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder(place))
            #expect(names.contains { $0.hasPrefix("external/") }, "\(when)")
            for name in names + [""] {
                var isFolder: ObjCBool = false
                let path = folder("\(place)/\(name)")
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
                let mode = isFolder.boolValue ? files | files >> 2 & 0o111 : files
                #expect(try permissions(path) == mode, "\(when): \(name)")
            }
        }
        for (permissions, mode) in [
            (FilePermissions.group, 0o660), (.owner, 0o600), (FilePermissions(fileMode: 0o644), 0o644),
        ] {
            let place = "\(mode).granary"
            // The permissions of a store that exists stay, whatever is asked for.
            for (round, asked) in [permissions, .owner].enumerated() {
                let stack = try await Stack(schema(.int64), store: provider(folder(place), asked))
                for key in 1...3 {
                    try await stack.write { tx in
                        var photo = try DynamicRecord("Photo", in: tx.schema)
                        try photo.set("id", to: Int64(key))
                        try photo.set("image", to: Data(repeating: UInt8(key), count: 300_000))
                        try tx.upsert(photo)
                    }
                }
                try check(place, mode, "in use")
                try await stack.compact()
                try await stack.write { _ = try $0.delete("Photo", 1) }
                try check(place, mode, "compacted")
                let backup = "\(mode)-\(round).backup"
                try await stack.backUp(to: URL(filePath: folder(backup)))
                try check(backup, mode, "backup")
                try await stack.close()
                try check(place, mode, "closed")
            }
            // A migration that rewrites records.
            let stack = try await Stack(schema(.string), store: provider(folder(place), .owner), migration: .inferred)
            try await stack.reset(to: .empty)
            try check(place, mode, "migrated")
            try await stack.close()
        }
    }
}
