public import GranaryCore
import Foundation

/// A record with unique indexes over several types, and one over two optional attributes. Written by hand, as every record of the suite: no macro is needed.
public struct Coupon: Record, Equatable {
    public var id: Int64
    public var text: String?
    public var decimal: Decimal?
    public var double: Double?
    public var data: Data?
    public var uuid: UUID?
    public var series: String?
    public var number: Int?

    public init(
        id: Int64, text: String? = nil, decimal: Decimal? = nil, double: Double? = nil, data: Data? = nil,
        uuid: UUID? = nil, series: String? = nil, number: Int? = nil
    ) {
        self.id = id
        self.text = text
        self.decimal = decimal
        self.double = double
        self.data = data
        self.uuid = uuid
        self.series = series
        self.number = number
    }
}

extension Coupon {
    public static let entityName = "Coupon"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("text", String?.self),
            Attribute("decimal", Decimal?.self),
            Attribute("double", Double?.self),
            Attribute("data", Data?.self),
            Attribute("uuid", UUID?.self),
            Attribute("series", String?.self),
            Attribute("number", Int?.self),
        ],
        indexes: [
            .unique("text"), .unique("decimal"), .unique("double"), .unique("data"), .unique("uuid"),
            // Not in the order of declaration: an error names them as the constraint does.
            .unique("number", "series"),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        text = try row.decode(at: 1)
        decimal = try row.decode(at: 2)
        double = try row.decode(at: 3)
        data = try row.decode(at: 4)
        uuid = try row.decode(at: 5)
        series = try row.decode(at: 6)
        number = try row.decode(at: 7)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(text, at: 1)
        try row.encode(decimal, at: 2)
        try row.encode(double, at: 3)
        try row.encode(data, at: 4)
        try row.encode(uuid, at: 5)
        try row.encode(series, at: 6)
        try row.encode(number, at: 7)
    }

    public struct Fields: Sendable {
        public let id = Field<Coupon, Int64>("id")
        public let text = Field<Coupon, String?>("text")
        public let decimal = Field<Coupon, Decimal?>("decimal")
        public let double = Field<Coupon, Double?>("double")
        public let data = Field<Coupon, Data?>("data")
        public let uuid = Field<Coupon, UUID?>("uuid")
        public let series = Field<Coupon, String?>("series")
        public let number = Field<Coupon, Int?>("number")
    }
    public static let fields = Fields()
}
