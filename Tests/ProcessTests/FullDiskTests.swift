import Foundation
import GranaryConformance
import GranaryCore
import GranaryTool
import Testing

/// Stores on a disk that is full, made small by mounting one; where that is not permitted, the test says so and tests nothing.
struct FullDiskTests {
    private func run(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Mounts a small disk for the duration of a body.
    private func withSmallDisk(_ size: String, _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard run(["mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder]) else {
            print("NOT TESTED: a full disk, as mounting one is not permitted here")
            return
        }
        defer { _ = run(["umount", "-l", folder]) }
        try body(folder)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func `on a full disk a write throws full, and nothing committed is lost`(_ kind: StoreKind) throws {
        try withSmallDisk("12m") { disk in
            let path = disk + "/Full.granary"
            let body = String(repeating: "granary ", count: 8000)
            var committed = 0
            var stack = try kind.subject.open(SuiteSchema.standard, at: path)
            let failure = #expect(throws: GranaryError.self) {
                for number in 0..<10_000 {
                    _ = try stack.write { try $0.insert(Note(slug: "note \(number)", body: body)) }
                    committed += 1
                }
            }
            #expect(failure?.code == .full)
            #expect(committed > 10)
            #expect(try stack.read { try $0.count(Note.all) } == committed)
            try? stack.close()

            stack = try kind.subject.open(SuiteSchema.standard, at: path)
            let notes = try stack.read { try $0.fetch(Note.all) }
            #expect(notes.count == committed)
            #expect(notes.allSatisfy { $0.body == body })
            #expect(try stack.verify() == [])
            try? stack.close()
        }
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func `a store cannot be made on a full disk, and can when there is room again`(_ kind: StoreKind) throws {
        try withSmallDisk("2m") { disk in
            let filler = disk + "/filler"
            _ = FileManager.default.createFile(atPath: filler, contents: nil)
            let handle = try #require(FileHandle(forWritingAtPath: filler))
            let block = Data(repeating: 1, count: 4096)
            while (try? handle.write(contentsOf: block)) != nil {}
            try handle.close()

            let path = disk + "/New.granary"
            let failure = #expect(throws: GranaryError.self) {
                try kind.subject.open(SuiteSchema.standard, at: path).close()
            }
            #expect(failure?.code == .full)

            try FileManager.default.removeItem(atPath: filler)
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            _ = try stack.write { try $0.insert(Note(slug: "one", body: "")) }
            #expect(try stack.read { try $0.count(Note.all) } == 1)
            try stack.close()
        }
    }
}
