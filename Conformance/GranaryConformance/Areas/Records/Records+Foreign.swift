import ConformanceKit
import GranaryCore

var foreignRecordsCases: [ConformanceCase] {
    [
        ConformanceCase("records.unknown-type", in: .records, "a record type the schema lacks is refused by every call")
        {
            trial in
            try trial.open(Schema(Shelf.self))
            try trial.write { transaction in
                let note = Note(slug: "a")
                try expectError(.unknownEntity, entity: "Note") { try transaction.insert(note) }
                try expectError(.unknownEntity, entity: "Note") { try transaction.insert([note]) }
                try expectError(.unknownEntity, entity: "Note") { try transaction.update(note) }
                try expectError(.unknownEntity, entity: "Note") { try transaction.upsert(note) }
                try expectError(.unknownEntity, entity: "Note") { try transaction.delete(Note.self, "a") }
                try expectError(.unknownEntity, entity: "Note") { try Note.deleteAll(in: transaction) }
                try expectError(.unknownEntity, entity: "Note") { try Note.all.updateAll(in: transaction) { _ in } }
                try expectError(.unknownEntity, entity: "Note") { try transaction.find(Note.self, "a") }
                try expectError(.unknownEntity, entity: "Note") { try transaction.fetch(Note.all) }
                try expectError(.unknownEntity, entity: "Note") { try Note.all.cursor(in: transaction) }
                try expectError(.unknownEntity, entity: "Note") { try transaction.count(Note.all) }
                try transaction.insert(Shelf(id: 1))
            }
            try trial.read { snapshot in
                try expectError(.unknownEntity, entity: "Note") { try snapshot.find(Note.self, "a") }
                try expectError(.unknownEntity, entity: "Note") { try snapshot.fetch(Note.all) }
                try expectEqual(try snapshot.count(Shelf.all), 1)
            }
        },
        ConformanceCase(
            "records.other-entity", in: .records, "a record type that declares its entity otherwise is refused"
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "one")])
            try trial.write { transaction in
                try expectError(.schemaMismatch, entity: "Shelf") { try transaction.insert(NarrowShelf(id: 2)) }
                try expectError(.schemaMismatch, entity: "Shelf") { try transaction.find(NarrowShelf.self, 1) }
                try expectError(.schemaMismatch, entity: "Shelf") { try transaction.delete(NarrowShelf.self, 1) }
                try expectError(.schemaMismatch, entity: "Shelf") { try NarrowShelf.deleteAll(in: transaction) }
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "one")])
        },
        ConformanceCase("records.required", in: .records, "a required attribute cannot be nil") { trial in
            try trial.insert([Shelf(id: 1, name: "kept")])
            try trial.write { transaction in
                try expectError(.required, entity: "Shelf", attributes: ["name"]) {
                    try transaction.insert(BlankShelf(id: 2))
                }
                try expectError(.required, entity: "Shelf", attributes: ["name"]) {
                    try transaction.update(BlankShelf(id: 1))
                }
                try expectError(.required, entity: "Shelf", attributes: ["name"]) {
                    try transaction.upsert(BlankShelf(id: 1))
                }
                try expectError(.required, entity: "Shelf", attributes: ["name"]) {
                    try transaction.insert([BlankShelf(id: 2), BlankShelf(id: 3)])
                }
                try expectEqual(try transaction.fetch(Shelf.all), [Shelf(id: 1, name: "kept")])
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "kept")])
        },
        ConformanceCase(
            "records.required-in-changes", in: .records, "`updateAll` cannot set a required attribute to nil"
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "kept")])
            try trial.write { transaction in
                try expectError(.required, entity: "Shelf", attributes: ["name"]) {
                    try BlankShelf.all.updateAll(in: transaction) { $0.set(\.name, to: nil) }
                }
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "kept")])
        },
        ConformanceCase(
            "records.encoding-fails", in: .records,
            "an error that a record throws comes through, and nothing is written"
        ) { trial in
            try trial.write { transaction in
                do {
                    try transaction.insert(BrokenShelf(id: 1))
                    throw ConformanceFailure(message: "the insert did not throw", file: #fileID, line: #line)
                } catch is Abandon {}
                do {
                    try transaction.upsert([BrokenShelf(id: 1)])
                    throw ConformanceFailure(message: "the upsert did not throw", file: #fileID, line: #line)
                } catch is Abandon {}
                try transaction.insert(Shelf(id: 2, name: "after"))
            }
            try expectEqual(try trial.keys(Shelf.all), [2])
        },
        ConformanceCase(
            "records.position-beyond", in: .records, "a value at a position that the entity lacks is an error"
        ) { trial in
            try trial.write { transaction in
                try expectError(.invalidSchema, entity: "Shelf") { try transaction.insert(WideShelf(id: 1)) }
                try transaction.insert(Shelf(id: 2))
            }
            try expectEqual(try trial.keys(Shelf.all), [2])
        },
    ]
}

/// Named as ``Shelf`` and with fewer attributes.
private struct NarrowShelf: Record {
    var id: Int64

    init(id: Int64) { self.id = id }

    static let entityName = "Shelf"
    static let entity = Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)])
    static let fields = 0

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }
}

/// A shelf that leaves its required name out.
private struct BlankShelf: Record {
    var id: Int64

    init(id: Int64) { self.id = id }

    static let entityName = Shelf.entityName
    static let entity = Shelf.entity
    struct Fields: Sendable { let name = Field<BlankShelf, String?>("name") }
    static let fields = Fields()

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }
}

/// A shelf that cannot be written.
private struct BrokenShelf: Record {
    var id: Int64

    init(id: Int64) { self.id = id }

    static let entityName = Shelf.entityName
    static let entity = Shelf.entity
    static let fields = 0

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        throw Abandon()
    }
}

/// A shelf that writes more than its entity has.
private struct WideShelf: Record {
    var id: Int64

    init(id: Int64) { self.id = id }

    static let entityName = Shelf.entityName
    static let entity = Shelf.entity
    static let fields = 0

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode("name", at: 1)
        try row.encode("beyond", at: 2)
    }
}
