import Foundation
import GranaryCore

/// A record with a unique name and an attribute narrower than its column.
struct Singer: Record, Equatable {
    var id: Int64
    var name: String
    var level: Int8?
    var rating: Double?

    init(_ id: Int64, _ name: String, level: Int8? = nil, rating: Double? = nil) {
        (self.id, self.name, self.level, self.rating) = (id, name, level, rating)
    }

    static let entityName = "Singer"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("level", Int8?.self),
            Attribute("rating", Double?.self),
        ], indexes: [.unique("name")])

    init(row: borrowing Row) throws {
        self.init(
            try row.decode(at: 0), try row.decode(at: 1), level: try row.decode(at: 2), rating: try row.decode(at: 3))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(level, at: 2)
        try row.encode(rating, at: 3)
    }

    struct Fields: Sendable {
        let id = Field<Singer, Int64>("id")
        let name = Field<Singer, String>("name")
        let level = Field<Singer, Int8?>("level")
        let rating = Field<Singer, Double?>("rating")
    }
    static let fields = Fields()
}

/// A record with a key that the store makes, which goes with its singer, loses its second and holds its third.
struct Track: Record, Equatable {
    var id: Int64
    var title: String
    var singer: Ref<Singer>
    var second: Ref<Singer>?
    var third: Ref<Singer>?

    init(
        _ id: Int64, _ title: String, _ singer: Ref<Singer>, second: Ref<Singer>? = nil, third: Ref<Singer>? = nil
    ) {
        (self.id, self.title, self.singer, self.second, self.third) = (id, title, singer, second, third)
    }

    static let entityName = "Track"
    static let entity = Entity(
        entityName, key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self),
            Attribute("singer", Ref<Singer>.self, onDelete: .cascade), Attribute("second", Ref<Singer>?.self),
            Attribute("third", Ref<Singer>?.self, onDelete: .deny),
        ])

    init(row: borrowing Row) throws {
        self.init(
            try row.decode(at: 0), try row.decode(at: 1), try row.decode(at: 2), second: try row.decode(at: 3),
            third: try row.decode(at: 4))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(singer, at: 2)
        try row.encode(second, at: 3)
        try row.encode(third, at: 4)
    }

    mutating func take(assignedKey: Int64) { id = assignedKey }

    struct Fields: Sendable {
        let id = Field<Track, Int64>("id")
        let title = Field<Track, String>("title")
    }
    static let fields = Fields()
}

/// A record whose table has no row numbers.
struct Badge: Record, Equatable {
    var id: UUID
    var level: Int8
    var price: Decimal?

    init(_ id: UUID, _ level: Int8, price: Decimal? = nil) { (self.id, self.level, self.price) = (id, level, price) }

    static let entityName = "Badge"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", UUID.self), Attribute("level", Int8.self), Attribute("price", Decimal?.self),
        ])

    init(row: borrowing Row) throws {
        self.init(try row.decode(at: 0), try row.decode(at: 1), price: try row.decode(at: 2))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(level, at: 1)
        try row.encode(price, at: 2)
    }

    struct Fields: Sendable {
        let id = Field<Badge, UUID>("id")
        let level = Field<Badge, Int8>("level")
    }
    static let fields = Fields()
}
