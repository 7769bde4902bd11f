import Foundation
import GranaryCore
import GranaryMemory
import Testing

/// How long a store in memory that has a name is there. What it does with schemas is tried by the conformance suite.
@Suite struct NamedStoreTests {
    private static let item = Entity(
        "Item", key: "id", keyGeneration: .assigned, attributes: [Attribute("id", Int64.self)])
    private let schema = Schema(entities: [item])

    private func insert(_ stack: Stack) throws {
        try stack.blocking.write { tx in _ = try tx.insert(DynamicRecord("Item", in: tx.schema)) }
    }

    private func count(_ stack: Stack) throws -> Int { try stack.blocking.read { try $0.count(Request("Item")) } }

    @Test func `records are there as long as a provider is held, and no longer`() throws {
        let name = UUID().uuidString
        var held: MemoryStoreProvider? = .inMemory(named: name)
        let first = try Stack(schema, store: .inMemory(named: name))
        try insert(first)
        try first.blocking.close()
        try withExtendedLifetime(held) {
            let stack = try Stack(schema, store: .inMemory(named: name))
            #expect(try count(stack) == 1)
            try stack.blocking.close()
        }
        held = nil
        // The stack that was closed is still there, and does not hold them.
        try withExtendedLifetime(first) {
            #expect(try MemoryStoreProvider.inMemory(named: name).exists() == false)
            let stack = try Stack(schema, store: .inMemory(named: name))
            #expect(try count(stack) == 0)
            try stack.blocking.close()
        }
    }

    @Test func `records are there as long as a stack is open`() throws {
        let name = UUID().uuidString
        let first = try Stack(schema, store: .inMemory(named: name))
        try insert(first)
        let second = try Stack(schema, store: .inMemory(named: name))
        try first.blocking.close()
        #expect(try count(second) == 1)
        try insert(second)
        #expect(
            try second.blocking.read {
                try $0.fetch(Request("Item")).map(\.key)
            } == [.integer(1), .integer(2)])
        try second.blocking.close()
        #expect(throws: GranaryError.self) { try Stack(store: .inMemory(named: name)) }
    }

    @Test func `a store is destroyed while no stack has it open`() throws {
        let provider = MemoryStoreProvider.inMemory(named: UUID().uuidString)
        func expect(_ code: GranaryError.Code) {
            #expect { try provider.destroy() } throws: { ($0 as? GranaryError)?.code == code }
        }
        expect(.notAStore)
        let stack = try Stack(schema, store: provider)
        try insert(stack)
        expect(.busy)
        try stack.blocking.close()
        #expect(try provider.exists() == true)
        try provider.destroy()
        #expect(try provider.exists() == false)
        let again = try Stack(schema, store: provider)
        #expect(try count(again) == 0)
        try again.blocking.close()
    }

    @Test func `each opening without a name has a store of its own`() throws {
        let provider = MemoryStoreProvider.inMemory
        let stacks = try [Stack(schema, store: provider), Stack(schema, store: provider)]
        try insert(stacks[0])
        #expect(try stacks.map(count) == [1, 0])
        #expect(try provider.exists() == false)
        for stack in stacks { try stack.blocking.close() }
    }

    @Test func `of threads that open one name at once all have the same store`() async throws {
        for _ in 0..<20 {
            let provider = MemoryStoreProvider.inMemory(named: UUID().uuidString)
            let schema = schema
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let stack = try await Stack(schema, store: provider)
                        try await stack.write { tx in _ = try tx.insert(DynamicRecord("Item", in: tx.schema)) }
                        try await stack.close()
                    }
                }
                try await group.waitForAll()
            }
            let stack = try await Stack(schema, store: provider)
            #expect(try count(stack) == 8)
            try await stack.close()
        }
    }
}
