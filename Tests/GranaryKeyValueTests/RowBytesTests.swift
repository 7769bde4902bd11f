import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

let everyType = Entity(
    "All", key: "id",
    attributes: [
        Attribute("id", .int64), Attribute("a", .bool), Attribute("b", .int8), Attribute("c", .uint16),
        Attribute("d", .int32), Attribute("e", .float), Attribute("f", .double, isOptional: true),
        Attribute("g", .uuid), Attribute("h", .string), Attribute("i", .data, isOptional: true),
    ])

let everyValue: [Value] = [
    5, 1, -2, 300, -70_000, 1.5, nil, .bytes(Array(0..<16)), "héllo", .bytes([0, 255]),
]

@Suite struct RowBytesTests {
    @Test func `a row has these bytes`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(everyType, engine: engine)
        try store.write { try $0.insert(everyValue) }
        let row = try #require(try entries(engine, 1).first).value
        let expected = [
            "0000",  // shape
            "4000",  // nil: the seventh
            "0500000000000000", "01", "fe", "2c01", "90eefeff", "0000c03f", "000102030405060708090a0b0c0d0e0f",
            "06" + "68c3a96c6c6f", "02" + "00ff",
        ]
        #expect(row.dropFirst(16) == expected.joined())
        try store.read { try #expect($0.find(5, count: 10) == everyValue) }
    }

    @Test func `texts of every length around the limits come back`() throws {
        let store = try newStore(everyType)
        for length in [0, 1, 253, 254, 255, 256, 65_535, 65_536, 1_000_000] {
            var values = everyValue
            values[8] = .string(String(repeating: "x", count: length))
            try store.write { writer in try writer.upsert(values) }
            try store.read { try #expect($0.find(5, count: 10) == values) }
        }
    }

    @Test func `values that do not fit are refused before anything is written`() throws {
        let store = try newStore(everyType)
        func attempt(_ position: Int, _ value: Value) throws -> (GranaryError.Code?, Int) {
            var values = everyValue
            values[position] = value
            return try store.write { writer in
                (code { try writer.insert(values) }, try writer.count(request()))
            }
        }
        try #expect(attempt(1, 2) == (.range, 0))
        try #expect(attempt(2, 128) == (.range, 0))
        try #expect(attempt(3, -1) == (.range, 0))
        try #expect(attempt(4, 2_147_483_648) == (.range, 0))
        try #expect(attempt(5, 0.1) == (.range, 0))
        try #expect(attempt(6, .real(.nan)) == (.range, 0))
        try #expect(attempt(7, .bytes([1])) == (.typeMismatch, 0))
        try #expect(attempt(8, nil) == (.required, 0))
        try #expect(attempt(8, 1) == (.typeMismatch, 0))
    }

    @Test func `rows of an older shape decode with defaults for what they lack`() throws {
        var entity = Entity(
            "Song", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("title", .string),
                Attribute("stars", .int32, defaultValue: 3), Attribute("note", .string, isOptional: true),
                Attribute("tag", .string, defaultValue: "none"),
            ])
        for position in entity.attributes.indices { entity.attributes[position].id = position + 1 }
        entity.id = 1
        let old = [
            ShapeField(attribute: 2, type: .string), ShapeField(attribute: 9, type: .int16),
            ShapeField(attribute: 1, type: .int64),
        ]
        let new = entity.attributes.map { ShapeField(attribute: $0.id, type: $0.type) }
        let layout = try RowLayout(entity, shapes: [old, new])
        // Shape 0, no nil: "hi", 7 in an attribute that is gone, key 4.
        let row: [UInt8] = Array(repeating: 0, count: 8) + [0, 0, 0, 2, 0x68, 0x69, 7, 0, 4, 0, 0, 0, 0, 0, 0, 0]
        let cells = CellBuffer(layout.cellCount)
        row.withUnsafeBytes { #expect(layout.decode($0, into: cells.base)) }
        row.withUnsafeBytes { row in
            _ = layout.decode(row, into: cells.base)
            #expect((0..<5).map { StoredValue(cells.base[$0]) } == [4, "hi", 3, nil, "none"])
        }
    }
}

@Suite struct DamageTests {
    private func intactRow() throws -> (layout: RowLayout, key: [UInt8], row: [UInt8]) {
        let engine = SortedArrayEngine()
        let store = try newStore(everyType, engine: engine)
        try store.write { try $0.insert(everyValue) }
        let reader = engine.beginRead()
        let entry = try #require(try reader.cursor(in: Keyspace(1)).first())
        return (store.tables[0].layout, Array(entry.key), Array(entry.value))
    }

    /// What a damaged row decodes as: nil if it is refused.
    private func read(_ layout: RowLayout, _ key: [UInt8], _ row: [UInt8]) -> [Value]? {
        // An allocation of just this size, so that the address sanitizer sees a read beyond it.
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: row.count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: row)
        let cells = CellBuffer(layout.cellCount)
        // Without the checksum anything may come out, but nothing may be read beyond the row.
        if layout.decode(UnsafeRawBufferPointer(bytes), into: cells.base) {
            for position in 0..<10 { _ = StoredValue(cells.base[position]) }
        }
        return key.withUnsafeBytes { key in
            do {
                try layout.read(UnsafeRawBufferPointer(bytes), key: key, into: cells.base)
                return (0..<10).map { StoredValue(cells.base[$0]) }
            } catch {
                #expect((error as? GranaryError)?.code == .corrupt)
                return nil
            }
        }
    }

    @Test func `every change of one byte is refused`() throws {
        let (layout, key, row) = try intactRow()
        #expect(read(layout, key, row) == everyValue)
        for offset in row.indices {
            for change: UInt8 in 1...255 {
                var damaged = row
                damaged[offset] ^= change
                if read(layout, key, damaged) != nil { Issue.record("byte \(offset) changed by \(change) went unseen") }
            }
        }
    }

    @Test func `every truncated and every longer row is refused`() throws {
        let (layout, key, row) = try intactRow()
        for count in 0..<row.count { #expect(read(layout, key, Array(row.prefix(count))) == nil) }
        #expect(read(layout, key, row + [0]) == nil)
    }

    @Test func `a row under another key is refused`() throws {
        let (layout, key, row) = try intactRow()
        for offset in key.indices {
            var other = key
            other[offset] ^= 1
            #expect(read(layout, other, row) == nil)
        }
    }

    @Test func `a damaged row is reported with its entity and without its values`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(artist, engine: engine)
        try store.write { try $0.insert([1, "Secret", 1.0, 1]) }
        let writer = engine.beginWrite()
        let key: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0, 1]
        try key.withUnsafeBytes { key in
            let old = Array(try #require(try writer.get(key, in: Keyspace(1))))
            let target = try #require(try writer.reserve(key, count: old.count, in: Keyspace(1), mode: .replace))
            target.copyBytes(from: old)
            target[old.count - 1] ^= 1
        }
        try writer.commit()
        try store.read { reader in
            do {
                _ = try reader.keys(request())
                Issue.record("a damaged row was read")
            } catch let error as GranaryError {
                #expect(error.code == .corrupt)
                #expect(error.entity == "Artist")
                #expect(!error.description.contains("Secret"))
            }
        }
        #expect(try store.verify().first == "Artist: row 1 is damaged")
    }
}
