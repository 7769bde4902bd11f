import GranaryCore

/// A record with a text whose words are searched.
struct Essay: Record {
    var id: Int64
    var text: String

    static let entityName = "Essay"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("text", String.self).searchable()])

    init(id: Int64, text: String) { (self.id, self.text) = (id, text) }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        text = try row.decode(at: 1)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(text, at: 1)
    }

    struct Fields: Sendable {
        let id = Field<Essay, Int64>("id")
        let text = Field<Essay, String>("text")
        let search = RecordSearch<Essay>()
    }
    static let fields = Fields()
}
