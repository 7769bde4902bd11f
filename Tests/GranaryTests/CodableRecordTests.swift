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
