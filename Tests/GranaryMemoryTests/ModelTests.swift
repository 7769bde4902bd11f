import GranaryCore
import GranaryKeyValue
import GranaryMemory
import Testing
import TestSupport

/// What a keyspace should hold: sorted, without any structure.
struct Model: Equatable {
    var entries: [[Entry]] = [[], []]

    func place(_ key: [UInt8], _ space: Int) -> (index: Int, found: Bool) {
        var (low, high) = (0, entries[space].count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(entries[space][middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return (low, low < entries[space].count && entries[space][low].key == key)
    }

    mutating func put(_ key: [UInt8], _ value: [UInt8], _ space: Int, _ mode: KeyValuePutMode) -> Bool {
        let (index, found) = place(key, space)
        if found && mode == .insert { return false }
        if found {
            entries[space][index].value = value
        } else {
            entries[space].insert(Entry(key, value), at: index)
        }
        return true
    }

    mutating func remove(_ key: [UInt8], _ space: Int) -> Bool {
        let (index, found) = place(key, space)
        if found { entries[space].remove(at: index) }
        return found
    }
}

/// Runs a random program on an engine and on the model, and compares everything that can be seen.
struct Program {
    var random: SeededNumbers
    let engine: MemoryEngine
    let spaces = [one, two]
    var committed = Model()
    var snapshots: [(reader: any KeyValueReader, model: Model)] = []
    let longKeys: Bool

    init(seed: UInt64, pageSize: Int, longKeys: Bool) throws {
        random = SeededNumbers(seed: seed)
        engine = try makeEngine(pageSize: pageSize)
        self.longKeys = longKeys
    }

    mutating func key() -> [UInt8] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return number(Int.random(in: 0..<400, using: &random))
        case 4..<7:
            // Few different bytes, zeros among them: prefixes and equal heads.
            let count = Int.random(in: 1...12, using: &random)
            var key: [UInt8] = []
            for _ in 0..<count { key.append(UInt8.random(in: 0...1, using: &random)) }
            return key
        case 7..<9:
            return bytes("a common beginning ") + number(Int.random(in: 0..<200, using: &random))
        default:
            let count = longKeys ? Int.random(in: 100...3000, using: &random) : Int.random(in: 9...40, using: &random)
            return [UInt8](repeating: 7, count: count) + [UInt8.random(in: 0...3, using: &random)]
        }
    }

    mutating func value() -> [UInt8] {
        let count: Int
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: count = 0
        case 4..<18: count = Int.random(in: 0...60, using: &random)
        default: count = Int.random(in: 0...5000, using: &random)
        }
        return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count)
    }

    func check(_ reader: any KeyValueReader, _ model: Model) throws {
        try reader.checkMemoryInvariants()
        for (space, keyspace) in spaces.enumerated() {
            try #require(try reader.count(in: keyspace) == model.entries[space].count)
            try #require(try reader.all(in: keyspace) == model.entries[space])
            try #require(try reader.allBackwards(in: keyspace) == model.entries[space].reversed())
        }
    }

    mutating func probe(_ reader: any KeyValueReader, _ model: Model) throws {
        let space = Int.random(in: 0...1, using: &random)
        let key = key()
        let (index, found) = model.place(key, space)
        let entries = model.entries[space]
        try #require(try reader.value(key, in: spaces[space]) == (found ? entries[index].value : nil))
        let cursor = try reader.cursor(in: spaces[space])
        var at = index
        try #require(try cursor.seek(key) == (index < entries.count ? entries[index] : nil))
        for _ in 0..<6 where at >= 0 && at < entries.count {
            let forwards = Bool.random(using: &random)
            at += forwards ? 1 : -1
            let expected = at >= 0 && at < entries.count ? entries[at] : nil
            try #require(try (forwards ? cursor.stepOn() : cursor.stepBack()) == expected)
        }
    }

    mutating func change(_ writer: any KeyValueWriter, _ model: inout Model, mostlyRemoves: Bool) throws {
        let space = Int.random(in: 0...1, using: &random)
        let entries = model.entries[space]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<(mostlyRemoves ? 80 : 25):
            let known = Bool.random(using: &random) ? entries.randomElement(using: &random)?.key : nil
            let key = known ?? key()
            let removed = model.remove(key, space)
            try #require(try writer.remove(key, in: spaces[space]) == removed)
        case 99:
            if Int.random(in: 0..<4, using: &random) == 0 {
                try writer.deleteAll(in: spaces[space])
                model.entries[space] = []
            }
        case 90..<99:
            // Ascending keys, as when a store is filled.
            var last = entries.last?.key ?? [1]
            for _ in 0..<Int.random(in: 1...20, using: &random) where last.count < 3000 {
                if last[last.count - 1] < 255 { last[last.count - 1] += 1 } else { last.append(0) }
                let value = value()
                try #require(try writer.put(last, value, in: spaces[space], mode: .append))
                _ = model.put(last, value, space, .append)
            }
        default:
            let modes: [KeyValuePutMode] = [.insert, .replace, .append]
            let mode = modes.randomElement(using: &random) ?? .insert
            let (key, value) = (key(), value())
            let written = model.put(key, value, space, mode)
            try #require(try writer.put(key, value, in: spaces[space], mode: mode) == written)
        }
    }

    /// One write transaction with nested savepoints, committed or not.
    mutating func transaction() throws {
        let writer = try engine.beginWrite()
        defer { writer.end() }
        var model = committed
        var saved: [Model] = []
        let mostlyRemoves = Int.random(in: 0..<4, using: &random) == 0
        for _ in 0..<Int.random(in: 1...60, using: &random) {
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                try writer.beginSavepoint()
                saved.append(model)
            case 1 where !saved.isEmpty:
                try writer.releaseSavepoint()
                saved.removeLast()
            case 2 where !saved.isEmpty:
                try writer.rollbackSavepoint()
                model = saved.removeLast()
            case 3, 4:
                try probe(writer, model)
            default:
                try change(writer, &model, mostlyRemoves: mostlyRemoves)
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0 { try check(writer, model) }
        if Int.random(in: 0..<4, using: &random) > 0 {
            try writer.commit()
            committed = model
        }
    }

    mutating func run(transactions: Int) throws {
        for _ in 0..<transactions {
            try transaction()
            if Int.random(in: 0..<3, using: &random) == 0 {
                snapshots.append((try engine.beginRead(), committed))
            }
            if snapshots.count > 4 || Int.random(in: 0..<6, using: &random) == 0, !snapshots.isEmpty {
                let (reader, model) = snapshots.remove(at: Int.random(in: 0..<snapshots.count, using: &random))
                try check(reader, model)
                try probe(reader, model)
                reader.end()
            }
        }
        for (reader, model) in snapshots {
            try check(reader, model)
            reader.end()
        }
        snapshots = []
        try engine.checkInvariants()
        // With every snapshot gone, what is left in memory is what the state needs, and nothing at all once that is
        // empty.
        try write(engine) {
            try $0.deleteAll(in: one)
            try $0.deleteAll(in: two)
        }
        #expect(engine.pageCount == 0)
    }
}

@Suite struct ModelTests {
    @Test(arguments: (1...12).map(TestSeed.of))
    func `random programs agree with a sorted array, also in snapshots and after rollbacks`(seed: UInt64) throws {
        var program = try Program(
            seed: seed, pageSize: [128, 256, 1024, 16384][Int(seed % 4)], longKeys: seed % 3 == 0)
        try program.run(transactions: 120)
    }

    @Test func `every order of inserting and then deleting five keys agrees with a sorted array`() throws {
        let keys: [[UInt8]] = [[0], [0, 0], [1], bytes("12345678"), bytes("12345678") + [0]]
        let orders = permutations(keys.count)
        for (number, inserts) in orders.enumerated() {
            let engine = try makeEngine(pageSize: 128)
            let deletes = orders[(number * 37 + 11) % orders.count]
            var model = Model()
            let writer = try engine.beginWrite()
            for index in inserts {
                let value = [UInt8](repeating: UInt8(index), count: 20)
                #expect(try writer.put(keys[index], value, mode: .insert))
                _ = model.put(keys[index], value, 0, .insert)
                try writer.checkMemoryInvariants()
                #expect(try writer.all() == model.entries[0])
            }
            for index in deletes {
                #expect(try writer.remove(keys[index]))
                _ = model.remove(keys[index], 0)
                try writer.checkMemoryInvariants()
                #expect(try writer.allBackwards() == model.entries[0].reversed())
            }
            try writer.commit()
            #expect(engine.pageCount == 0)
        }
    }

    private func permutations(_ count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return permutations(count - 1).flatMap { shorter in
            (0...shorter.count).map { place in
                var order = shorter
                order.insert(count - 1, at: place)
                return order
            }
        }
    }
}
