import Dispatch
import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

@Suite struct AssignedKeyTests {
    private typealias A = Archive

    @Test(arguments: TriedEngine.allCases)
    func `the last key assigned is known to readers when committed, to the writer at once`(_ engine: TriedEngine) throws
    {
        let tried = try TriedStore(engine, A.entities)
        try tried.store.write { writer in
            try #expect(writer.lastAssignedKey(of: A.folder) == 0)
            try writer.insert([0, "a", nil, nil], into: A.folder)
            try #expect(writer.lastAssignedKey(of: A.folder) == 1)
            try tried.store.read { try #expect($0.lastAssignedKey(of: A.folder) == 0) }
            try writer.beginSavepoint()
            try writer.insert([40, "b", nil, nil], into: A.folder)
            try #expect(writer.lastAssignedKey(of: A.folder) == 40)
            try writer.rollbackSavepoint()
            try #expect(writer.lastAssignedKey(of: A.folder) == 1)
            try writer.insert([7, "b", nil, nil], into: A.folder)
            try writer.delete(7, from: A.folder)
            try writer.insert([50, nil], into: A.mark)
        }
        for _ in 0..<2 {
            try tried.store.read { reader in
                try #expect(reader.lastAssignedKey(of: A.folder) == 7)
                try #expect(reader.lastAssignedKey(of: A.mark) == 0)
                try #expect(reader.lastAssignedKey(of: A.person) == 0)
                #expect(code { try reader.lastAssignedKey(of: 99) } == .unknownEntity)
            }
            try tried.reopen()
        }
    }

    @Test func `a key that a context was given is not assigned, and a context is not given one that was`() throws {
        let store = try KeyValueStore(engine: SortedArrayEngine(), schema: Schema(entities: A.entities))
        let coordinator = store.coordinator
        #expect(coordinator.reserveKey(of: A.folder, after: 0) == 1)
        #expect(coordinator.reserveKey(of: A.folder, after: 0) == 2)
        try store.write { writer in
            try #expect(writer.insert([0, "a", nil, nil], into: A.folder) == 3)
            // Nobody else can see it yet.
            #expect(coordinator.reserveKey(of: A.folder, after: 0) == 4)
            try #expect(writer.upsert([0, "b", nil, nil], into: A.folder) == 5)
            try writer.insert([20, "c", nil, nil], into: A.folder)
            #expect(coordinator.reserveKey(of: A.folder, after: 0) == 21)
            // What a context saves.
            try writer.insert([4, "d", nil, nil], into: A.folder)
            try #expect(writer.insert([0, "e", nil, nil], into: A.folder) == 22)
        }
        #expect(coordinator.reserveKey(of: A.person, after: 0) == 1)
    }

    @Test func `a transaction that is undone takes its keys back from the store alone`() throws {
        let store = try KeyValueStore(engine: SortedArrayEngine(), schema: Schema(entities: A.entities))
        let writer = try store.beginWrite()
        try #expect(writer.insert([0, "a", nil, nil], into: A.folder) == 1)
        try writer.insert([30, "b", nil, nil], into: A.folder)
        writer.end()
        try store.write { try #expect($0.insert([0, "a", nil, nil], into: A.folder) == 1) }
        #expect(store.coordinator.reserveKey(of: A.folder, after: 1) == 31)
        try store.write { try #expect($0.insert([0, "b", nil, nil], into: A.folder) == 32) }
    }

    @Test func `no key is given twice while a transaction and contexts ask for keys at once`() throws {
        let store = try KeyValueStore(engine: SortedArrayEngine(), schema: Schema(entities: A.entities))
        // One thread writes each; both are read when the threads are done.
        nonisolated(unsafe) var assigned: [Int64] = []
        nonisolated(unsafe) var reserved: [Int64] = []
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                _ = try? store.write { writer in
                    for number in 0..<2000 {
                        let row: [Value] = [0, .string("n\(number)"), nil, nil]
                        if let key = try writer.insert(row, into: A.folder) { assigned.append(key) }
                    }
                }
            } else {
                for _ in 0..<20_000 {
                    if let key = store.coordinator.reserveKey(of: A.folder, after: 0) { reserved.append(key) }
                }
            }
        }
        #expect(assigned.count == 2000 && reserved.count == 20_000)
        #expect(Set(assigned).union(reserved).count == 22_000)
        #expect(assigned == assigned.sorted())
    }
}
