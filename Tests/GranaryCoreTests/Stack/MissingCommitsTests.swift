import GranaryMemory
import Logging
import TestSupport
import Testing

@testable import GranaryCore

/// What is said of a store that is found to lack commits when it is opened.
struct MissingCommitsTests {
    private struct LackingProvider: StoreProvider {
        let count: UInt64

        func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
            let store = try MemoryStoreProvider.inMemory.open(schema, migration: migration)
            LongWork.current?.note(missingCommits: count)
            return store
        }

        func openStored() throws -> any Store { try open(Schema(Plant.self), migration: .refuse) }
    }

    private func lines(_ count: UInt64) -> [LoggedLines.Line] {
        LoggedLines.all { $0.metadata["commits"] == "\(count)" }
    }

    @Test func `a store that lacks commits is opened, and its opening logs an error`() throws {
        LoggedLines.begin()
        let stack = try Stack(Schema(Plant.self), store: LackingProvider(count: 8_317))
        #expect(try stack.blocking.read { try $0.count(Plant.all) } == 0)
        #expect(lines(8_317).map(\.level) == [.error])
        #expect(lines(8_317).first?.metadata["store"] == "memory")
    }

    @Test func `so it does when it is opened without blocking, and with the schema that is stored`() async throws {
        LoggedLines.begin()
        let stack = try await Stack(Schema(Plant.self), store: LackingProvider(count: 8_318))
        try await stack.close()
        #expect(lines(8_318).count == 1)
        let stored = try await Stack(store: LackingProvider(count: 8_319))
        try await stored.close()
        #expect(lines(8_319).count == 1)
    }
}
