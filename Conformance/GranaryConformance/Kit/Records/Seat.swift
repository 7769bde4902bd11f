public import GranaryCore

/// A record whose rule asks for a reference that a delete rule makes nil: a seat that is booked has a guest.
public struct Seat: Record, Equatable {
    public var id: Int64
    public var isBooked: Bool
    public var guest: Int64?

    public init(id: Int64, isBooked: Bool, guest: Int64?) {
        self.id = id
        self.isBooked = isBooked
        self.guest = guest
    }

    public func validate() throws {
        guard !isBooked || guest != nil else {
            throw GranaryError(
                .invalidRecord, "The seat \(id) is booked, and has no guest.", entity: Seat.entityName,
                attributes: ["guest"])
        }
    }
}

/// A guest, who is deleted with the host.
public struct Guest: Record, Equatable {
    public var id: Int64
    public var host: Int64?

    public init(id: Int64, host: Int64? = nil) {
        self.id = id
        self.host = host
    }
}

extension Seat {
    public static let entityName = "Seat"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("isBooked", Bool.self),
            Attribute("guest", .int64, isOptional: true, reference: .init(entity: "Guest", onDelete: .nullify)),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        isBooked = try row.decode(at: 1)
        guest = try row.decode(at: 2)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(isBooked, at: 1)
        try row.encode(guest, at: 2)
    }

    public struct Fields: Sendable {
        public let id = Field<Seat, Int64>("id")
        public let isBooked = Field<Seat, Bool>("isBooked")
        public let guest = Field<Seat, Int64?>("guest")
    }
    public static let fields = Fields()
}

extension Guest {
    public static let entityName = "Guest"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("host", .int64, isOptional: true, reference: .init(entity: "Guest", onDelete: .cascade)),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        host = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(host, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Guest, Int64>("id")
        public let host = Field<Guest, Int64?>("host")
    }
    public static let fields = Fields()
}
