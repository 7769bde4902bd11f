import GranaryMemory

@testable import GranaryCore

/// A record of these tests.
struct Plant: Record, Equatable {
    var id: Int64
    var name: String
    var bed: String?
    var height: Int
    var neighbour: Ref<Plant>?

    init(_ id: Int64, _ name: String = "", bed: String? = nil, height: Int = 0, neighbour: Ref<Plant>? = nil) {
        (self.id, self.name, self.bed, self.height, self.neighbour) = (id, name, bed, height, neighbour)
    }

    static let entityName = "Plant"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("bed", String?.self),
            Attribute("height", Int.self), Attribute("neighbour", Ref<Plant>?.self),
        ])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        bed = try row.decode(at: 2)
        height = try row.decode(at: 3)
        neighbour = try row.decode(at: 4)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(bed, at: 2)
        try row.encode(height, at: 3)
        try row.encode(neighbour, at: 4)
    }

    struct Fields: Sendable {
        let id = Field<Plant, Int64>("id")
        let name = Field<Plant, String>("name")
        let bed = Field<Plant, String?>("bed")
        let height = Field<Plant, Int>("height")
        let neighbour = Field<Plant, Ref<Plant>?>("neighbour")
    }
    static let fields = Fields()

    static func stack() throws -> Stack { try Stack(Schema(Plant.self), store: .inMemory) }
}
