import Foundation
import GranaryCore
import GranaryKeyValue
import GranaryPlatform
import TestSupport
import Testing

@testable import GranaryStoreKit

/// What comes before a file of an external value goes, and what damaged rows do: over an engine that tells what is asked of it.
struct ExternalFileTests {
    private static let schema = Schema(entities: [
        Entity(
            "Photo", key: "id",
            attributes: [Attribute("id", .int64), Attribute("image", .data, isOptional: true).external()])
    ])

    /// A store with external values in a folder of its own.
    private final class Tried {
        let folder: TemporaryFolder
        let engine = SortedArrayEngine()
        let inner: KeyValueStore
        let store: ExternalStore

        init() throws {
            folder = try TemporaryFolder()
            inner = try KeyValueStore(engine: engine, schema: ExternalFileTests.schema)
            let files = ExternalFiles(inStoreAt: folder.path, canWrite: true)
            store = try #require(try ExternalStore.over(inner, files) as? ExternalStore)
        }

        var contents: Set<String> { Set(names(folder("external")).filter { $0.utf8.count == 64 }) }

        /// The name of the file with the content that has a number.
        static func name(_ number: UInt8) -> String {
            content(number).withUnsafeBytes { ExternalReference(of: $0).name }
        }

        static func content(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 40_000) }

        func write(_ key: Int64, _ value: StoredValue, to store: any Store) throws {
            let writer = try store.beginWrite()
            defer { writer.end() }
            _ = try StoredRow([.integer(key), value]).withRow { try writer.upsert($0, into: 0) }
            _ = try writer.commit()
        }

        func write(_ key: Int64, _ number: UInt8?) throws {
            try write(key, number.map { .bytes(Tried.content($0)) } ?? .null, to: store)
        }

        func read(_ key: Int64) throws -> StoredValue? {
            let reader = try store.beginRead(CancellationFlag())
            defer { reader.end() }
            return try StoredValue.integer(key).withCell { key in
                guard let row = try reader.find(key, in: 0) else { return nil }
                return StoredValue(row[1])
            }
        }
    }

    @Test func `a file goes after the commit that takes its last name is synced`() throws {
        let tried = try Tried()
        try tried.write(1, 7)
        var synced: [(commit: UInt64, files: Set<String>)] = []
        tried.engine.onSynchronize = {
            let reader = try tried.inner.beginRead(CancellationFlag())
            defer { reader.end() }
            synced.append((reader.transactionNumber, tried.contents))
        }
        try tried.write(1, nil)
        #expect(synced.map(\.commit) == [2] && synced.map(\.files) == [[Tried.name(7)]])
        #expect(tried.contents == [])
    }

    @Test func `nothing goes if the sync before it fails`() throws {
        let tried = try Tried()
        try tried.write(1, 7)
        tried.engine.onSynchronize = { throw GranaryError(.io, "The disk is gone.") }
        try tried.write(1, nil)
        #expect(tried.contents == [Tried.name(7)])
        tried.engine.onSynchronize = {}
        try tried.write(2, 8)
        #expect(tried.contents == [Tried.name(8)])
    }

    @Test func `the files of a commit that fails while others are removed go with the next removal`() throws {
        let tried = try Tried()
        try tried.write(1, 7)
        // While a read is open the file waits.
        let reader = try tried.store.beginRead(CancellationFlag())
        try tried.write(1, nil)
        reader.end()
        #expect(tried.contents == [Tried.name(7)])
        tried.engine.onFailingCommit = {
            tried.engine.onFailingCommit = nil
            try tried.store.removeUnused()
            #expect(tried.contents == [Tried.name(8)])
            throw GranaryError(.io, "The disk is gone.")
        }
        #expect(throws: GranaryError.self) { try tried.write(2, 8) }
        // The commit may be on the disk all the same, for what the engine knows.
        #expect(tried.contents == [Tried.name(8)])
        #expect(tried.store.files.unused.count == 1)
        try tried.write(3, 9)
        #expect(tried.contents == [Tried.name(9)])
        #expect(try tried.store.verify() == [])
    }

    @Test func `a row that claims another size than its file has is damaged, and no room is made for it`() throws {
        let tried = try Tried()
        try tried.write(1, 7)
        let whole = Tried.content(7).withUnsafeBytes { ExternalReference(of: $0).bytes }
        #expect(try tried.read(1) == .bytes(Tried.content(7)))
        for size in [0, 1, 39_999, 40_001, UInt64(UInt32.max), UInt64(UInt32.max) + 1, 1 << 60, .max] {
            var claimed = whole
            withUnsafeBytes(of: size.littleEndian) { claimed.replaceSubrange(48..<56, with: $0) }
            try tried.write(2, .bytes(claimed), to: tried.inner)
            let error = #expect(throws: GranaryError.self) { try tried.read(2) }
            #expect(error?.code == .corrupt && error?.entity == "Photo" && error?.attributes == ["image"], "\(size)")
            #expect(error?.key == .integer(2))
            #expect(try tried.read(1) == .bytes(Tried.content(7)))
            #expect(try tried.store.verify().count == 1, "\(size)")
        }
    }

    @Test func `a file as long as its row claims, and longer than any value, is damaged and not read`() throws {
        let tried = try Tried()
        try tried.write(1, 7)
        let limit = tried.store.capabilities.limits.valueSize
        for size in [limit + 1, 2 << 40] {
            var claimed = Tried.content(7).withUnsafeBytes { ExternalReference(of: $0).bytes }
            withUnsafeBytes(of: UInt64(size).littleEndian) { claimed.replaceSubrange(48..<56, with: $0) }
            claimed[16] ^= 1
            let name = try #require(
                StoredValue.bytes(claimed).withCell { ExternalReference($0)?.name })
            // It takes no room on the disk.
            let file = try OpenFile(tried.folder("external/\(name)"), .writingOrCreating)
            try file.truncate(to: Int64(size))
            try tried.write(2, .bytes(claimed), to: tried.inner)
            let error = #expect(throws: GranaryError.self) { try tried.read(2) }
            #expect(error?.code == .corrupt, "\(size)")
            let faults = try tried.store.verify()
            #expect(faults.count == 1 && faults[0].contains("has \(size) bytes"), "\(faults)")
            #expect(try tried.read(1) == .bytes(Tried.content(7)))
            try tried.write(2, .null, to: tried.inner)
            try OpenFolder(tried.folder("external")).removeFile(name)
        }
    }
}
