import Foundation
import Granary
import Testing

struct ReadmeTests {
    @Test func `the code on the first page is the code that is compiled here`() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let page = try String(contentsOf: here.appending(path: "../../README.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks == [try String(contentsOf: here.appending(path: "Tour.swift"), encoding: .utf8)])
    }

    @Test func `the tour runs, and a second one finds what the first has left`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "granary-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "Music.granary")
        try await tour(url)
        let error = await #expect(throws: GranaryError.self) { try await tour(url) }
        #expect(error?.code == .uniqueness)
        #expect(error?.entity == "Artist")
    }
}
