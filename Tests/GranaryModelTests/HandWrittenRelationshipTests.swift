import Synchronization
import Testing

@testable import GranaryModel

private struct Shelf: Record {
    var id: Int64

    static let entityName = "Shelf"
    static let entity = Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)])

    static let books = ToMany(\Book.Fields.shelf, onDelete: .cascade, orderedBy: \.title)
    static let marked = ManyToMany(Book.self, ordered: true, onDelete: .deny)
    static var relationships: [DeclaredRelationship] {
        [books.declared(as: "books"), marked.declared(as: "marked")]
    }
    var books: RelatedRecords<Shelf, Book> { Self.books.records(of: id, as: "books") }

    init(id: Int64) { self.id = id }
    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }

    struct Fields: Sendable {
        let id = Field<Shelf, Int64>("id")
        var books: Related<Shelf, Book> { Related("books") }
        var marked: Related<Shelf, Book> { Related("marked") }
    }
    static let fields = Fields()
}

private struct Book: Record {
    var title: String
    var shelf: Ref<Shelf>
    var id: String { title }

    static let entityName = "Volume"
    static let entity = Entity(
        entityName, key: "title",
        attributes: [Attribute("title", String.self), Attribute("shelf", Ref<Shelf>.self)])

    static let markedOn = ManyToMany(\Shelf.Fields.marked)
    static var relationships: [DeclaredRelationship] { [markedOn.declared(as: "markedOn")] }

    init(row: borrowing Row) throws {
        title = try row.decode(at: 0)
        shelf = try row.decode(at: 1)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(title, at: 0)
        try row.encode(shelf, at: 1)
    }

    struct Fields: Sendable {
        let title = Field<Book, String>("title")
        let shelf = Field<Book, Ref<Shelf>>("shelf")
        var markedOn: Related<Book, Shelf> { Related("markedOn") }
    }
    static let fields = Fields()
}

/// A record that notes when its fields are asked for.
private struct Watched: Record {
    var id: Int64

    static let entityName = "Watched"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", .int64), Attribute("next", Ref<Watched>?.self)])

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }

    struct Fields: Sendable {
        let next = Field<Watched, Ref<Watched>?>("next")
        var linked: Related<Watched, Watched> { Related("linked") }
    }
    static let asked = Atomic(0)
    static var fields: Fields {
        asked.add(1, ordering: .relaxed)
        return Fields()
    }
}

@Suite struct HandWrittenRelationshipTests {
    @Test func `records written by hand declare relationships as the macro's do`() throws {
        let schema = Schema(Shelf.self, Book.self)
        try schema.validate()
        #expect(
            schema.description == """
                entity Shelf
                    id: int64 key
                entity Volume
                    title: string key
                    shelf: int64 -> Shelf, on delete cascade
                    index (shelf)
                entity Shelf_marked
                    id: int64 key, assigned
                    source: int64 -> Shelf, on delete deny
                    target: string -> Volume, on delete cascade
                    position: int64
                    unique (source, target)
                    index (target)
                    index (source, position)
                """)
        #expect(
            Shelf(id: 5).books
                == RelatedRecords(
                    of: 5, Relationship("books", entity: "Volume", attribute: "shelf", orderedBy: "title")))
    }

    @Test func `a schema without types is linked as declared relationships are`() throws {
        let typed = Schema(Shelf.self, Book.self)
        var entities = Array(typed.entities.prefix(2))
        for position in entities.indices { entities[position].relationships.removeAll { $0.through != nil } }
        let linked = Schema(entities: entities)
            .linking("Shelf", "marked", to: "Volume", inverse: "markedOn", ordered: true, onDelete: .deny)
        #expect(linked == typed)
        #expect(throws: GranaryError.self) { try Schema(entities: entities).linking("Shelf", "x", to: "No").validate() }
        #expect(throws: GranaryError.self) { try Schema(entities: entities).linking("No", "x", to: "Shelf").validate() }
    }

    @Test func `a link entity comes once, also where its type is given twice`() {
        let names = Schema(Shelf.self, Book.self, Shelf.self).entities.map(\.name)
        #expect(names == ["Shelf", "Volume", "Shelf", "Shelf_marked"])
        #expect(throws: GranaryError.self) { try Schema(Shelf.self, Book.self, Shelf.self).validate() }
    }

    @Test func `a relationship asks for fields when it is asked for, not when it is made`() {
        let nexts = ToMany<Watched, Watched>(\.next, orderedBy: \.next)
        let inverse = ManyToMany<Watched, Watched>(\.linked)
        #expect(Watched.asked.load(ordering: .relaxed) == 0)
        #expect(nexts.declared(as: "nexts").relationship.attribute == "next")
        #expect(inverse.declared(as: "inverse").relationship.entity == "Watched_linked")
        #expect(Watched.asked.load(ordering: .relaxed) == 3)
    }

    @Test func `a schema with relationships comes back from its JSON`() throws {
        let schema = Schema(Shelf.self, Book.self)
        #expect(try Schema(json: try schema.json()) == schema)
    }
}
