import ConformanceKit
import GranaryCore
import GranaryImport

// The records of random documents, with hooks that leave objects out or change them.

struct Team: Importable {
    var id: Int64
    var name: String
    var rank: Int64?

    static let entityName = "Team"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("rank", Int64?.self)],
        indexes: [.unique("name")])
    static let players = ToMany(\Player.Fields.team, onDelete: .nullify)
    static var relationships: [DeclaredRelationship] { [players.declared(as: "players")] }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        rank = try row.decode(at: 2)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(rank, at: 2)
    }
    struct Fields: Sendable { let id = Field<Team, Int64>("id") }
    static let fields = Fields()

    /// Some objects are to be left out.
    static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? {
        if value["skip"] == true { return nil }
        return value
    }
}

struct Player: Importable {
    var id: Int64
    var name: String
    var note: String?
    var team: Ref<Team>?
    var friend: Ref<Player>?

    static let entityName = "Player"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("note", String?.self),
            Attribute("team", Ref<Team>?.self), Attribute("friend", Ref<Player>?.self, onDelete: .nullify),
        ])
    static let clubs = ManyToMany(Club.self, ordered: true)
    static var relationships: [DeclaredRelationship] { [clubs.declared(as: "clubs")] }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        note = try row.decode(at: 2)
        team = try row.decode(at: 3)
        friend = try row.decode(at: 4)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(note, at: 2)
        try row.encode(team, at: 3)
        try row.encode(friend, at: 4)
    }
    struct Fields: Sendable {
        let id = Field<Player, Int64>("id")
        let team = Field<Player, Ref<Team>?>("team")
        let clubs = Related<Player, Club>("clubs")
    }
    static let fields = Fields()
}

struct Club: Importable {
    var id: Int64
    var name: String
    var initial: String

    static let entityName = "Club"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self),
            Attribute("initial", String.self, default: ""),
        ])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        initial = try row.decode(at: 2)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(initial, at: 2)
    }
    struct Fields: Sendable { let id = Field<Club, Int64>("id") }
    static let fields = Fields()

    /// Some objects are to be left out, others are changed.
    static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? {
        guard value["skip"] != true else { return nil }
        guard case .object(let object) = value, value["old"] == true else { return value }
        let members = object.members.filter { $0.key != "name" && $0.key != "old" }
        return .object(ImportObject(members + [.init("name", "old club")]))
    }

    mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws { initial = String(name.prefix(1)) }
}
