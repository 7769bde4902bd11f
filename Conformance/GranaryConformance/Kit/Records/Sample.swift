public import GranaryCore
import Foundation

/// A record with one optional attribute of every type, and no index but its key's. Written by hand, as every record of the suite: no macro is needed.
public struct Sample: Record, Equatable {
    public var id: Int64
    public var flag: Bool?
    public var int8: Int8?
    public var int16: Int16?
    public var int32: Int32?
    public var integer: Int64?
    public var uint8: UInt8?
    public var uint16: UInt16?
    public var uint32: UInt32?
    public var uint64: UInt64?
    public var float: Float?
    public var double: Double?
    public var decimal: Decimal?
    public var text: String?
    public var data: Data?
    public var bytes: [UInt8]?
    public var date: Date?
    public var uuid: UUID?
    public var url: URL?
    public var mood: Mood?
    public var json: JSON<Extra>?

    public init(
        id: Int64, flag: Bool? = nil, int8: Int8? = nil, int16: Int16? = nil, int32: Int32? = nil,
        integer: Int64? = nil, uint8: UInt8? = nil, uint16: UInt16? = nil, uint32: UInt32? = nil, uint64: UInt64? = nil,
        float: Float? = nil, double: Double? = nil, decimal: Decimal? = nil, text: String? = nil, data: Data? = nil,
        bytes: [UInt8]? = nil, date: Date? = nil, uuid: UUID? = nil, url: URL? = nil, mood: Mood? = nil,
        json: JSON<Extra>? = nil
    ) {
        self.id = id
        self.flag = flag
        self.int8 = int8
        self.int16 = int16
        self.int32 = int32
        self.integer = integer
        self.uint8 = uint8
        self.uint16 = uint16
        self.uint32 = uint32
        self.uint64 = uint64
        self.float = float
        self.double = double
        self.decimal = decimal
        self.text = text
        self.data = data
        self.bytes = bytes
        self.date = date
        self.uuid = uuid
        self.url = url
        self.mood = mood
        self.json = json
    }
}

extension Sample {
    public static let entityName = "Sample"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("flag", Bool?.self),
            Attribute("int8", Int8?.self),
            Attribute("int16", Int16?.self),
            Attribute("int32", Int32?.self),
            Attribute("integer", Int64?.self),
            Attribute("uint8", UInt8?.self),
            Attribute("uint16", UInt16?.self),
            Attribute("uint32", UInt32?.self),
            Attribute("uint64", UInt64?.self),
            Attribute("float", Float?.self),
            Attribute("double", Double?.self),
            Attribute("decimal", Decimal?.self),
            Attribute("text", String?.self),
            Attribute("data", Data?.self),
            Attribute("bytes", [UInt8]?.self),
            Attribute("date", Date?.self),
            Attribute("uuid", UUID?.self),
            Attribute("url", URL?.self),
            Attribute("mood", Mood?.self),
            Attribute("json", JSON<Extra>?.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        flag = try row.decode(at: 1)
        int8 = try row.decode(at: 2)
        int16 = try row.decode(at: 3)
        int32 = try row.decode(at: 4)
        integer = try row.decode(at: 5)
        uint8 = try row.decode(at: 6)
        uint16 = try row.decode(at: 7)
        uint32 = try row.decode(at: 8)
        uint64 = try row.decode(at: 9)
        float = try row.decode(at: 10)
        double = try row.decode(at: 11)
        decimal = try row.decode(at: 12)
        text = try row.decode(at: 13)
        data = try row.decode(at: 14)
        bytes = try row.decode(at: 15)
        date = try row.decode(at: 16)
        uuid = try row.decode(at: 17)
        url = try row.decode(at: 18)
        mood = try row.decode(at: 19)
        json = try row.decode(at: 20)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(flag, at: 1)
        try row.encode(int8, at: 2)
        try row.encode(int16, at: 3)
        try row.encode(int32, at: 4)
        try row.encode(integer, at: 5)
        try row.encode(uint8, at: 6)
        try row.encode(uint16, at: 7)
        try row.encode(uint32, at: 8)
        try row.encode(uint64, at: 9)
        try row.encode(float, at: 10)
        try row.encode(double, at: 11)
        try row.encode(decimal, at: 12)
        try row.encode(text, at: 13)
        try row.encode(data, at: 14)
        try row.encode(bytes, at: 15)
        try row.encode(date, at: 16)
        try row.encode(uuid, at: 17)
        try row.encode(url, at: 18)
        try row.encode(mood, at: 19)
        try row.encode(json, at: 20)
    }

    public struct Fields: Sendable {
        public let id = Field<Sample, Int64>("id")
        public let flag = Field<Sample, Bool?>("flag")
        public let int8 = Field<Sample, Int8?>("int8")
        public let int16 = Field<Sample, Int16?>("int16")
        public let int32 = Field<Sample, Int32?>("int32")
        public let integer = Field<Sample, Int64?>("integer")
        public let uint8 = Field<Sample, UInt8?>("uint8")
        public let uint16 = Field<Sample, UInt16?>("uint16")
        public let uint32 = Field<Sample, UInt32?>("uint32")
        public let uint64 = Field<Sample, UInt64?>("uint64")
        public let float = Field<Sample, Float?>("float")
        public let double = Field<Sample, Double?>("double")
        public let decimal = Field<Sample, Decimal?>("decimal")
        public let text = Field<Sample, String?>("text")
        public let data = Field<Sample, Data?>("data")
        public let bytes = Field<Sample, [UInt8]?>("bytes")
        public let date = Field<Sample, Date?>("date")
        public let uuid = Field<Sample, UUID?>("uuid")
        public let url = Field<Sample, URL?>("url")
        public let mood = Field<Sample, Mood?>("mood")
        public let json = Field<Sample, JSON<Extra>?>("json")
    }
    public static let fields = Fields()
}

/// An enum with a raw value.
public enum Mood: String, AttributeValue, CaseIterable { case calm, wild, sad }

/// A value kept as JSON.
public struct Extra: Codable, Sendable, Hashable {
    public var tags: [String]
    public var depth: Int

    public init(tags: [String], depth: Int) {
        self.tags = tags
        self.depth = depth
    }
}
