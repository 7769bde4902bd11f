import GranaryText

// What a part keeps beside its records. A part that is written to has one more entity, of notes:
//
// | name of the note | number | contents |
// |---|---|---|
// | empty | of the commits of this part that count with a commit of another part | |
// | the name of another part | that number of the other part, once it has made the commit | the changes it has to make |
// | `[schema]`, in the first part | | the schema of the stack |
//
// A commit that changes several parts is made in one part after the other. The first one also keeps, for each other
// part, the changes that this still has to make. If the process ends in between, the number shows that the other part
// lacks them, and the next opening makes them.

/// The notes of a part.
enum PartNotes {
    static let entity = Entity(
        Entity.partNotesName, key: "name",
        attributes: [
            Attribute("name", .string), Attribute("number", .int64), Attribute("contents", .data, isOptional: true),
        ])

    /// The name of the note about the part itself.
    static let own = ""
    static let schema = "[schema]"

    struct Note {
        var number: Int64
        var contents: [UInt8]?
    }

    /// The note with a name.
    ///
    /// - Parameter position: The entity of the notes.
    static func note(_ name: String, in reader: any StoreReader, at position: Int) throws -> Note? {
        try StoredValue.string(name).withCell { key in
            guard let row = try reader.find(key, in: position) else { return nil }
            return Note(
                number: row[1].kind == .integer ? row[1].integerValue : 0,
                contents: row[2].isNull ? nil : Array(row[2].rawBytes))
        }
    }

    static func keep(_ note: Note, as name: String, in writer: any StoreWriter, at position: Int) throws {
        let contents = note.contents.map { StoredValue.bytes($0) } ?? .null
        try StoredRow([.string(name), .integer(note.number), contents]).withRow { row in
            _ = try writer.upsert(row, into: position)
        }
    }
}
