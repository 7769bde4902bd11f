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

    enum FileSystem: String { case tmpfs, ext4 }

    /// Mounts a small disk for the duration of a body.
    private func withSmallDisk(
        _ size: String, _ system: FileSystem = .tmpfs, _ body: (String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let image = folder + ".image"
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            try? FileManager.default.removeItem(atPath: image)
        }
        let isMounted =
            switch system {
            case .tmpfs: run(["mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder])
            case .ext4:
                run(["truncate", "-s", size, image]) && run(["mkfs.ext4", "-q", "-F", image])
                    && run(["mount", "-o", "loop", image, folder])
            }
        guard isMounted else {
            print("NOT TESTED: a full disk, as mounting one is not permitted here")
            return
        }
        defer { _ = run(["umount", "-l", folder]) }
        try await body(folder)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb], [FileSystem.tmpfs, .ext4])
    func `on a full disk a write throws full, and nothing committed is lost`(
        _ kind: StoreKind, _ system: FileSystem
    ) async throws {
        try await withSmallDisk("12m", system) { disk in
            let path = disk + "/Full.granary"
            let body = String(repeating: "granary ", count: 8000)
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

            stack = try kind.subject.open(SuiteSchema.standard, at: path)
            let notes = try await stack.read { try $0.fetch(Note.all) }
            #expect(notes.count == committed)
            #expect(notes.allSatisfy { $0.body == body })
            #expect(try stack.verify() == [])
            try? await stack.close()
        }
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func `a store cannot be made on a full disk, and can when there is room again`(_ kind: StoreKind) async throws {
        try await withSmallDisk("2m") { disk in
            let filler = disk + "/filler"
            _ = FileManager.default.createFile(atPath: filler, contents: nil)
            let handle = try #require(FileHandle(forWritingAtPath: filler))
            let block = Data(repeating: 1, count: 4096)
            while (try? handle.write(contentsOf: block)) != nil {}
            try handle.close()

            let path = disk + "/New.granary"
            let failure = await #expect(throws: GranaryError.self) {
                try await kind.subject.open(SuiteSchema.standard, at: path).close()
            }
            #expect(failure?.code == .full)

            try FileManager.default.removeItem(atPath: filler)
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            _ = try await stack.write { try $0.insert(Note(slug: "one", body: "")) }
            #expect(try await stack.read { try $0.count(Note.all) } == 1)
            try await stack.close()
        }
    }
}
