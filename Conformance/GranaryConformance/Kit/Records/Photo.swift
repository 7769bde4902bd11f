public import GranaryCore
import Foundation

/// A record with external attributes, one optional and one required.
public struct Photo: Record, Equatable {
    public var id: Int64
    public var name: String
    public var image: Data?
    public var raw: Data

    public init(id: Int64, name: String = "", image: Data? = nil, raw: Data = Data()) {
        self.id = id
        self.name = name
        self.image = image
        self.raw = raw
    }

    public static let entityName = "Photo"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("image", Data?.self).external(),
            Attribute("raw", Data.self).external(),
        ], indexes: [.index("name")])
    public static let schema = Schema(Photo.self, Caption.self)
    /// The same without external attributes.
    public static let plainSchema: Schema = {
        var entities = schema.entities
        entities[0].attributes = entities[0].attributes.map { $0.external(false) }
        return Schema(entities: entities)
    }()

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        image = try row.decode(at: 2)
        raw = try row.decode(at: 3)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(image, at: 2)
        try row.encode(raw, at: 3)
    }

    public struct Fields: Sendable {
        public let id = Field<Photo, Int64>("id")
        public let name = Field<Photo, String>("name")
        public let image = Field<Photo, Data?>("image")
        public let raw = Field<Photo, Data>("raw")
    }
    public static let fields = Fields()
}

/// A record that refers to a photo and goes with it.
public struct Caption: Record, Equatable {
    public var id: Int64
    public var photo: Ref<Photo>?

    public init(id: Int64, photo: Int64? = nil) {
        self.id = id
        self.photo = photo.map { Ref($0) }
    }

    public static let entityName = "Caption"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("photo", Ref<Photo>?.self, onDelete: .cascade)])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        photo = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(photo, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Caption, Int64>("id")
        public let photo = Field<Caption, Ref<Photo>?>("photo")
    }
    public static let fields = Fields()
}

/// Data that differs for each number.
package func picture(_ number: Int, size: Int = 20_000) -> Data {
    Data((0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ number) ^ ($0 >> 8)) })
}
