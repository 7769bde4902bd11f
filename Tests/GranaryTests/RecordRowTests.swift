import Foundation
import Granary
import Testing
import TestSupport

/// Lends a record's row. The writer owns what the row points at.
func withRow<R: Record, T>(of record: R, _ body: (borrowing Row) throws -> T) throws -> T {
    var writer = RowWriter(count: R.entity.attributes.count)
    try record.encode(into: &writer)
    return try writer.withRow { row throws in try body(row) }
}

func storedValues<R: Record>(_ record: R) throws -> [StoredValue] {
    try withRow(of: record) { row in (0..<row.count).map { StoredValue(row[$0]) } }
}

func roundTrip<R: Record>(_ record: R) throws -> R { try withRow(of: record) { try R(row: $0) } }

@Suite struct RecordRowTests {
    static let lowest = Everything(
        id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), bool: false, int: .min, int8: .min,
        int16: .min, int32: .min, int64: .min, uint: 0, uint8: 0, uint16: 0, uint32: 0, uint64: 0,
        float: -.infinity, double: -.infinity, decimal: Decimal(string: "-99999999999999999999999999999999999999")!,
        money: Decimal(string: "-92233720368547758.08")!, fine: Decimal(string: "-9.223372036854775808")!, string: "",
        data: Data(), bytes: [], date: Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude),
        uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), url: URL(string: "a")!, mood: .calm,
        level: .low, isrc: ISRC(rawValue: ""), settings: Settings(), tags: [], wrapped: JSON([]), artist: Ref(.min))
    static let highest = Everything(
        bool: true, int: .max, int8: .max, int16: .max, int32: .max, int64: .max, uint: UInt(Int64.max), uint8: .max,
        uint16: .max, uint32: .max, uint64: UInt64(Int64.max), float: .greatestFiniteMagnitude,
        double: .greatestFiniteMagnitude, decimal: Decimal(string: "0.00000000000000000000000000000000000001")!,
        money: Decimal(string: "92233720368547758.07")!, fine: Decimal(string: "9.223372036854775807")!,
        string: String(repeating: "e\u{301}\u{0}\u{10FFFF}", count: 5000), data: Data(repeating: 255, count: 100_000),
        bytes: [UInt8](repeating: 0, count: 5000), date: Date(timeIntervalSinceReferenceDate: 0.1),
        uuid: UUID(), url: URL(string: "https://example.org/a?b=c#d")!, mood: .wild, level: .high,
        isrc: ISRC(rawValue: "x"), settings: Settings(volume: .max, names: ["é": [1, 2], "": []]), tags: ["", "\u{0}"],
        wrapped: JSON([.min, .max]), artist: Ref(.max))

    @Test(arguments: [lowest, highest])
    func `a record with every type of attribute comes back as it was`(_ record: Everything) throws {
        let read = try roundTrip(record)
        #expect(read == record)
        #expect(try storedValues(read) == storedValues(record))
        #expect(read.string.utf8.elementsEqual(record.string.utf8))
        #expect(read.float.bitPattern == record.float.bitPattern)
    }

    @Test func `optional attributes come back as nil and as values`() throws {
        let empty = Maybe(id: 1, double: nil)
        #expect(try roundTrip(empty) == empty)
        #expect(try storedValues(empty).dropFirst().allSatisfy { $0 == .null })
        let full = Maybe(
            id: 2, bool: false, int: 0, float: 0, double: 0, decimal: 0, money: 0, string: "", data: Data(), bytes: [],
            date: Date(timeIntervalSinceReferenceDate: 0), uuid: UUID(), url: URL(string: "a"), mood: .wild,
            settings: Settings(), tags: [], artist: Ref(0))
        #expect(try roundTrip(full) == full)
        #expect(try storedValues(full).allSatisfy { $0 != .null })
    }

    @Test func `records with awkward names, lets, observers and transient properties come back`() throws {
        let names = Names(
            key: "k", row: 1, fields: 2, entity: "e", entityName: "n", writer: true, assignedKey: 3, value: 4,
            default: 5, self: 6, `inout`: 12, first: 7, second: 8, third: 9, fourth: "x", seen: 10, watched: 11)
        #expect(try roundTrip(names) == names)
        let song = Song(isrc: "A", artist: Ref(1), title: "t")
        #expect(try roundTrip(song.named("u")) == song.named("u"))
        let artist = try roundTrip(Artist(name: "n", code: "c", cache: 8))
        #expect(artist == Artist(name: "n", code: "c", cache: 7))
    }

    @Test func `a nested record comes back`() throws {
        let artist = Version1.Artist(id: "a", mood: .glad, settings: .init(old: false), song: Ref(4))
        #expect(try roundTrip(artist) == artist)
    }

    @Test func `a failure names the position`() throws {
        var writer = RowWriter(count: 4)
        try writer.encode("A", at: 0)
        try writer.encode("not a number", at: 1)
        let failure = writer.withRow { row in
            do throws(any Error) { _ = try Song(row: row) } catch { return error as? DecodingFailure }
            return nil
        }
        #expect(failure?.position == 1)
        #expect((failure?.cause as? GranaryError)?.code == .corrupt)
    }
}

@Suite struct ScaledDecimalTests {
    func code<let places: Int>(_ value: ScaledDecimal<places>) -> GranaryError.Code? {
        do { _ = try StoredValue(encoding: value) } catch { return (error as? GranaryError)?.code }
        return nil
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("1", 100), ("1.5", 150), ("-0.01", -1), ("-12.34", -1234), ("1000000", 100_000_000),
        ("92233720368547758.07", Int64.max), ("-92233720368547758.08", Int64.min),
    ])
    func `a decimal is stored as an exact integer`(_ text: String, _ stored: Int64) throws {
        let value = try #require(Decimal(string: text))
        #expect(try StoredValue(encoding: ScaledDecimal<2>(value)) == .integer(stored))
        #expect(try ScaledDecimal<2>.decode(.integer(stored)).value == value)
    }

    @Test func `what does not fit is a range error`() throws {
        #expect(code(ScaledDecimal<2>(Decimal(string: "0.001")!)) == .range)
        #expect(code(ScaledDecimal<0>(Decimal(string: "0.5")!)) == .range)
        #expect(code(ScaledDecimal<2>(Decimal(string: "92233720368547758.08")!)) == .range)
        #expect(code(ScaledDecimal<18>(10)) == .range)
        #expect(code(ScaledDecimal<2>(Decimal(sign: .plus, exponent: 127, significand: 1))) == .range)
        #expect(code(ScaledDecimal<2>(.nan)) == .range)
        #expect(code(ScaledDecimal<0>(Decimal(sign: .plus, exponent: 18, significand: 9))) == nil)
    }

    @Test func `every integer comes back`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let integer = Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0..<64)
            let value = try ScaledDecimal<7>.decode(.integer(integer))
            #expect(try StoredValue(encoding: value) == .integer(integer), "\(integer)")
        }
    }

    @Test func `a literal is the number as written`() throws {
        let value: ScaledDecimal<3> = 3.133
        #expect(try StoredValue(encoding: value) == .integer(3133))
        #expect(try ScaledDecimal<3>.decode(.integer(3133)) == value)
    }
}
