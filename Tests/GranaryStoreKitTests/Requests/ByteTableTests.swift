import Testing

@testable import GranaryStoreKit

@Suite struct ByteTableTests {
    private func insert(_ bytes: [UInt8], into table: ByteTable) -> (Int, Bool) {
        bytes.withUnsafeBytes { table.insert($0) }
    }

    @Test func `equal bytes have one number, in the order in which they came`() {
        let table = ByteTable()
        #expect(insert([1, 2], into: table) == (0, true))
        #expect(insert([], into: table) == (1, true))
        #expect(insert([1, 2], into: table) == (0, false))
        #expect(insert([], into: table) == (1, false))
        #expect(insert([1], into: table) == (2, true))
        #expect(table.count == 3)
        #expect(Array(table[0]) == [1, 2])
        #expect(Array(table[1]) == [])
        #expect([1, 2].withUnsafeBytes { table.contains($0) } == false)
        #expect([UInt8(1), 2].withUnsafeBytes { table.contains($0) })
        #expect(![UInt8(2)].withUnsafeBytes { table.contains($0) })
    }

    @Test func `many byte strings are all found again`() {
        let table = ByteTable()
        let words = (0..<5000).map { number in
            Array("\(number * 7919 % 3001)".utf8) + [UInt8](repeating: 7, count: number % 40)
        }
        var known: [[UInt8]: Int] = [:]
        for word in words {
            let expected = known[word] ?? known.count
            #expect(insert(word, into: table) == (expected, known[word] == nil))
            known[word] = expected
        }
        #expect(table.count == known.count)
        #expect(known.allSatisfy { word, number in Array(table[number]) == word })
    }

    @Test func `cells as bytes are read back, and differ where the cells do`() {
        let values: [StoredValue] = [
            .null, .integer(0), .integer(-1), .real(0), .real(.infinity), .text([]), .text([0]), .bytes([]),
            .bytes([0]),
        ]
        let scratch = CellBytes()
        let all = HeldCells(values)
        for number in values.indices { scratch.append(all[number]) }
        let cells = UnsafeMutablePointer<Cell>.allocate(capacity: values.count)
        defer { cells.deallocate() }
        cells.initialize(repeating: .null, count: values.count)
        CellBytes.read(scratch.bytes, into: cells, count: values.count)
        #expect(values.indices.map { StoredValue(cells[$0]) } == values)
        let alone = values.indices.map { number in
            scratch.clear()
            scratch.append(all[number])
            return Array(scratch.bytes)
        }
        #expect(Set(alone).count == values.count)
    }

    @Test func `an integer and the real that equals it are one number where numbers are joined`() {
        func bytes(_ cell: Cell) -> [UInt8] {
            let scratch = CellBytes()
            scratch.append(cell, joinsNumbers: true)
            return Array(scratch.bytes)
        }
        #expect(bytes(.real(2)) == bytes(.integer(2)))
        #expect(bytes(.real(-0.0)) == bytes(.integer(0)))
        #expect(bytes(.real(2.5)) != bytes(.integer(2)))
        #expect(bytes(.real(0x1p53)) != bytes(.integer(1 << 53 + 1)))
        #expect(bytes(.real(0x1p63)) != bytes(.integer(.max)))
    }
}
