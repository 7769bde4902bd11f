import GranaryPlatform
import Testing

@testable import GranaryStoreKit
import TestSupport

/// New files under an engine, where opening them fails.
@Suite struct LiveGenerationTests {
    /// An engine whose only file says which content it was made with.
    private final class Engine: GenerationEngine {
        let content: String?
        let path: String
        let isClosed = CancellationFlag()
        let isRetired = CancellationFlag()
        var location: String? { path }

        init(_ path: String) throws {
            self.path = path
            content = text("\(path)/db")
            if content == "cannot be opened" { throw Planned() }
        }

        func pauseWriting() throws {}
        func resumeWriting() {}
        func copyCompacted(into folder: String) throws { try write(content ?? "", to: "\(folder)/db") }
        func retire() { isRetired.set() }
        func close() throws { isClosed.set() }
    }

    @Test func `files that cannot be opened do not go live`() throws {
        let folder = try TemporaryFolder()
        let live = try LiveGeneration(openStore(folder("S"), content: "old"), open: Engine.init)
        let old = try live.current()
        #expect(throws: Planned.self) {
            try live.replaceGeneration { _, path in try write("cannot be opened", to: "\(path)/db") }
        }
        #expect(try live.current() === old && !old.isRetired.isSet && live.replacements.value == 0)
        #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0001"])
        try live.replaceGeneration { _, path in try write("new", to: "\(path)/db") }
        #expect(try live.current().content == "new" && old.isRetired.isSet && live.replacements.value == 1)
        #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0002"])
        try live.close()
    }

    @Test func `an engine on files that do not go live is closed`() throws {
        let folder = try TemporaryFolder()
        nonisolated(unsafe) var opened: [Engine] = []
        let live = try LiveGeneration(openStore(folder("S"), content: "old")) {
            let engine = try Engine($0)
            opened.append(engine)
            // What the switch renames is gone.
            if engine.content == "new" { try OpenFolder(folder("S")).removeFile(StoreNames.next) }
            return engine
        }
        #expect(throws: GranaryError.self) {
            try live.replaceGeneration { _, path in try write("new", to: "\(path)/db") }
        }
        try #require(opened.count == 2)
        #expect(opened[1].isClosed.isSet && !opened[0].isClosed.isSet)
        #expect(try live.current() === opened[0])
        try live.close()
    }
}
