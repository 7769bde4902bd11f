import Foundation
import Granary
import Testing

/// What a macro makes of a record is no obstacle to its being Codable.
@Record private struct Ticket: Codable, Equatable {
    @Key var id: Int64
    var holder: Ref<Guest>
    var friend: Ref<Guest>?
    @Attribute(.scaled(2)) var price: Decimal
    var fee: ScaledDecimal<2>
    var tax: ScaledDecimal<4>?
    @Attribute(.json) var seats: [Int]
    var notes: JSON<[String: Date]>
    var sold: Date?
    static let guests = ManyToMany(Guest.self)
}

@Record private struct Guest: Codable {
    @Key var id: UUID
    static let tickets = ToMany(\Ticket.Fields.holder)
}

/// An attribute of each type.
@Record private struct Inventory: Codable, Equatable {
    @Key var id: String
    var flag: Bool
    var small: Int8
    var short: Int16
    var middle: Int32
    var large: Int64
    var whole: Int
    var byte: UInt8
    var unsigned: UInt64
    var float: Float
    var double: Double
    var decimal: Decimal
    @Attribute(.scaled(3)) var price: Decimal
    var fee: ScaledDecimal<2>
    var text: String
    var data: Data
    var date: Date
    var uuid: UUID
    var url: URL
    var colour: Colour
    @Attribute(.json) var tags: [String]
    var notes: JSON<[String: Int]>
    var guest: Ref<Guest>
    var ticket: Ref<Ticket>?
    var nothing: Ref<Inventory>?
    @Version var version: Int64 = 0
}

private enum Colour: String, AttributeValue, Codable { case red, green }

struct CodableRecordTests {
    private let guest = UUID()

    private func ticket() throws -> Ticket {
        Ticket(
            id: 1, holder: Ref(guest), friend: nil, price: try #require(Decimal(string: "12.5")), fee: 0.99,
            tax: ScaledDecimal(try #require(Decimal(string: "-0.0001"))), seats: [3, 4],
            notes: JSON(["day": Date(timeIntervalSinceReferenceDate: 0.25)]), sold: nil)
    }

    @Test func `a record comes back from JSON and from a property list`() throws {
        let ticket = try ticket()
        #expect(try JSONDecoder().decode(Ticket.self, from: try JSONEncoder().encode(ticket)) == ticket)
        #expect(try PropertyListDecoder().decode(Ticket.self, from: try PropertyListEncoder().encode(ticket)) == ticket)
    }

    @Test func `a record with an attribute of each type comes back, exact to the last digit`() throws {
        let record = Inventory(
            id: "a", flag: true, small: .min, short: .max, middle: .min, large: .max, whole: -1, byte: 255,
            unsigned: UInt64(Int64.max), float: 0.1, double: .leastNonzeroMagnitude,
            decimal: try #require(Decimal(string: "12345678901234567890.0123456789")),
            price: try #require(Decimal(string: "0.001")), fee: 92_233_720_368_547_758, text: "\u{0}\"é\u{1F600}",
            data: Data([0, 255]), date: Date(timeIntervalSinceReferenceDate: 0.1), uuid: guest,
            url: try #require(URL(string: "https://a.example/?q=%C3%A9")), colour: .green, tags: ["x", ""],
            notes: JSON(["b": 2, "a": 1]), guest: Ref(guest), ticket: Ref(7), nothing: nil)
        let coded = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(Inventory.self, from: coded) == record)
        #expect(
            try PropertyListDecoder().decode(Inventory.self, from: try PropertyListEncoder().encode(record)) == record)
        let object = try #require(try JSONSerialization.jsonObject(with: coded) as? [String: Any])
        #expect(object["guest"] as? String == guest.uuidString && object["ticket"] as? Int == 7)
        #expect(object["nothing"] == nil && object["tags"] as? [String] == ["x", ""])
    }

    @Test func `references, decimals and JSON are coded as what they hold`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        let text = String(decoding: try encoder.encode(try ticket()), as: UTF8.self)
        #expect(
            text == """
                {"fee":0.99,"holder":"\(guest.uuidString)","id":1,"notes":{"day":978307200.25},"price":12.5,\
                "seats":[3,4],"tax":-0.0001}
                """)
    }

    @Test func `a key of another type is refused`() throws {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Ref<Guest>].self, from: Data("[3]".utf8)) }
    }

    @Test func `an error's localized description is its message and what it is about`() {
        let error: any Error = GranaryError(
            .uniqueness, "There is one already.", entity: "Guest", attributes: ["name", "day"]
        ).causedBy("sqlite", 2067, "UNIQUE")
        #expect(error.localizedDescription == "There is one already. [Guest.name, Guest.day] (sqlite 2067: UNIQUE)")
        #expect("\(error)" == "uniqueness: " + error.localizedDescription)
    }
}
