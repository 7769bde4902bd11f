import ConformanceKit
import Foundation
import GranaryCore
import GranaryTool
import StoreSubjects
import TestSupport
import Testing

/// Stores on a disk that is full, made small by mounting one. Where that is not permitted, the tests are skipped.
struct FullDiskTests {
    static let ownDisk = ConditionTrait.enabled(if: isPermitted(.tmpfs), "mounting a disk needs the rights of root")
    static let ownImage = ConditionTrait.enabled(
        if: isPermitted(.ext4), "mounting an image needs the rights of root and a loop device")

    private static let mountable: Set<FileSystem> = Set([.tmpfs, .ext4].filter(canMount))

    private static func isPermitted(_ system: FileSystem) -> Bool { mountable.contains(system) }

    private static func canMount(_ system: FileSystem) -> Bool {
        guard let folder = try? makeFolder() else { return false }
        defer { remove(folder) }
        guard mount("2m", system, at: folder) else { return false }
        _ = run(["umount", "-l", folder])
        return true
    }

    func run(_ arguments: [String]) -> Bool { Self.run(arguments) }

    private static func run(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    enum FileSystem: String {
        case tmpfs, ext4
        /// ext4 with blocks of 1 KiB.
        case smallBlocks
    }

    /// Mounts a small disk for the duration of a body.
    func withSmallDisk(
        _ size: String, _ system: FileSystem = .tmpfs, _ body: (String) async throws -> Void
    ) async throws {
        let folder = try Self.makeFolder()
        defer { Self.remove(folder) }
        try #require(Self.mount(size, system, at: folder))
        defer { _ = run(["umount", "-l", folder]) }
        try await body(folder)
    }

    private static func makeFolder() throws -> String {
        let folder = TemporaryFolder.parent + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func image(_ folder: String) -> String { folder + ".image" }

    private static func remove(_ folder: String) {
        for path in [folder, image(folder)] { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func mount(_ size: String, _ system: FileSystem, at folder: String) -> Bool {
        let image = image(folder)
        return switch system {
        case .tmpfs: run(["mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder])
        case .ext4: make(image, size, []) && run(["mount", "-o", "loop", image, folder])
        case .smallBlocks: make(image, size, ["-b", "1024", "-m", "0"]) && run(["mount", "-o", "loop", image, folder])
        }
    }

    private static func make(_ image: String, _ size: String, _ options: [String]) -> Bool {
        run(["truncate", "-s", size, image]) && run(["/sbin/mkfs.ext4", "-q", "-F"] + options + [image])
    }

    /// Leaves no free block.
    func fill(_ disk: String) throws -> String {
        let filler = disk + "/filler"
        _ = FileManager.default.createFile(atPath: filler, contents: nil)
        let handle = try #require(FileHandle(forWritingAtPath: filler))
        for size in [65_536, 1024, 1] {
            let block = Data(repeating: 1, count: size)
            while (try? handle.write(contentsOf: block)) != nil {}
        }
        try handle.synchronize()
        try handle.close()
        return filler
    }

    @Test(ownDisk, arguments: [StoreKind.sqlite, .lmdb])
    func `on a full disk a write throws full, and nothing committed is lost`(_ kind: StoreKind) async throws {
        try await writeUntilFull(kind, .tmpfs)
    }

    // Its free space is never exactly 0.
    @Test(ownImage, arguments: [StoreKind.sqlite, .lmdb])
    func `on a full disk with ext4 a write throws full, and nothing committed is lost`(_ kind: StoreKind) async throws {
        try await writeUntilFull(kind, .ext4)
    }

    private func writeUntilFull(_ kind: StoreKind, _ system: FileSystem) async throws {
        try await withSmallDisk("12m", system) { disk in
            let path = disk + "/Full.granary"
            let body = String(repeating: "granary ", count: 8000)
            // An opening needs 32 KiB for what SQLite shares between processes. Those of the store that was closed may be held
            // for a moment longer by a process that a test beside this one is starting.
            let reserve = disk + "/reserve"
            try Data(repeating: 1, count: 131_072).write(to: URL(filePath: reserve))
            var committed = 0
            var stack = try kind.subject.open(SuiteSchema.standard, at: path)
            let failure = await #expect(throws: GranaryError.self) {
                for number in 0..<10_000 {
                    _ = try await stack.write { try $0.insert(Note(slug: "note \(number)", body: body)) }
                    committed += 1
                }
            }
            #expect(failure?.code == .full)
            #expect(committed > 10)
            #expect(try await stack.read { try $0.count(Note.all) } == committed)
            // Nor is there room for a second copy.
            let refusal = await #expect(throws: GranaryError.self) { try await stack.compact() }
            #expect(refusal?.code == .full)
            #expect(try await stack.read { try $0.count(Note.all) } == committed)
            try? await stack.close()

            try FileManager.default.removeItem(atPath: reserve)
            stack = try kind.subject.open(SuiteSchema.standard, at: path)
            let notes = try await stack.read { try $0.fetch(Note.all) }
            #expect(notes.count == committed)
            #expect(notes.allSatisfy { $0.body == body })
            #expect(try stack.blocking.verify() == [])
            try? await stack.close()
        }
    }

    @Test(ownDisk, arguments: [StoreKind.sqlite, .lmdb])
    func `a large value that has no room throws full, and leaves no file`(_ kind: StoreKind) async throws {
        let schema = Schema(entities: [
            Entity(
                "Clip", key: "id", attributes: [Attribute("id", Int64.self), Attribute("data", Data.self).external()])
        ])
        @Sendable func insert(_ number: Int, _ stack: Stack) async throws {
            try await stack.write { tx in
                var clip = try DynamicRecord("Clip", in: tx.schema)
                try clip.set("id", to: number)
                try clip.set("data", to: Data(repeating: UInt8(number), count: 700_000))
                try tx.insert(clip)
            }
        }
        try await withSmallDisk("12m") { disk in
            let path = disk + "/Full.granary"
            var stack = try kind.subject.open(schema, at: path)
            var committed = 0
            let failure = await #expect(throws: GranaryError.self) {
                for number in 0..<100 {
                    try await insert(number, stack)
                    committed += 1
                }
            }
            #expect(failure?.code == .full && committed > 5)
            #expect(try await stack.read { try $0.count(Request("Clip")) } == committed)
            func files() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: path + "/external").count { $0.utf8.count >= 64 }
            }
            #expect(try files() == committed)
            _ = try await stack.write { try Request("Clip").where("id < 3").deleteAll(in: $0) }
            #expect(try files() == committed - 3)
            try await insert(0, stack)
            #expect(try stack.blocking.verify() == [])
            try await stack.close()
            stack = try kind.subject.open(schema, at: path)
            #expect(try stack.blocking.verify() == [])
            try await stack.close()
        }
    }

    @Test(ownDisk, arguments: [StoreKind.sqlite, .lmdb])
    func `a store cannot be made on a full disk, and can when there is room again`(_ kind: StoreKind) async throws {
        try await withSmallDisk("2m") { disk in
            let filler = try fill(disk)
            let path = disk + "/New.granary"
            let failure = #expect(throws: GranaryError.self) {
                try kind.subject.open(SuiteSchema.standard, at: path).blocking.close()
            }
            #expect(failure?.code == .full)

            try FileManager.default.removeItem(atPath: filler)
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            _ = try await stack.write { try $0.insert(Note(slug: "one", body: "")) }
            #expect(try await stack.read { try $0.count(Note.all) } == 1)
            try await stack.close()
        }
    }

    @Test(ownImage, arguments: [StoreKind.sqlite, .lmdb])
    func `on a full disk with small blocks a store that was not closed opens or says that the disk is full`(
        _ kind: StoreKind
    ) async throws {
        try await withSmallDisk("8m", .smallBlocks) { disk in
            let path = disk + "/Killed.granary"
            let (killed, report) = try WorkerProgram.start(kind, path, ["count", "100000"])
            #expect(try report.fileHandleForReading.read(upToCount: 60)?.isEmpty == false)
            kill(killed.processIdentifier, SIGKILL)
            killed.waitUntilExit()
            // What the engine shares with other processes in memory is made anew, in the room that is left.
            for name in ["db.sqlite-shm", "lock.mdb"] {
                try? FileManager.default.removeItem(atPath: path + "/gen-0001/" + name)
            }
            let filler = try fill(disk)
            for kibibytes in stride(from: 0, to: 48, by: 6) {
                let size = try #require(FileManager.default.attributesOfItem(atPath: filler)[.size] as? Int)
                #expect(run(["truncate", "-s", "\(size - 6 * 1024)", filler]))
                let (process, _) = try WorkerProgram.start(kind, path, ["count", "1"])
                process.waitUntilExit()
                #expect(process.terminationReason == .exit, "with \(kibibytes + 6) KiB free")
            }
            try FileManager.default.removeItem(atPath: filler)
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            #expect(try await stack.read { try $0.count(Ticket.all) } > 0)
            #expect(try stack.blocking.verify() == [])
            try await stack.close()
        }
    }

    @Test(ownDisk, arguments: [StoreKind.sqlite, .lmdb])
    func `on a small disk many transactions find room as long as their data does`(_ kind: StoreKind) async throws {
        try await withSmallDisk("1m") { disk in
            let stack = try kind.subject.open(SuiteSchema.standard, at: disk + "/Small.granary")
            for number in 0..<60 {
                try await stack.write { tx in
                    let body = String(repeating: "granary ", count: 4000 + number)
                    try tx.upsert(Note(slug: "note \(number % 4)", body: body))
                }
            }
            #expect(try await stack.read { try $0.count(Note.all) } == 4)
            #expect(try stack.blocking.verify() == [])
            try await stack.close()
        }
    }
}
