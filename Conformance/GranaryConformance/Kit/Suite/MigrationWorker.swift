import Foundation
package import GranaryCore

/// A store that goes to and fro between two schemas, for processes that are killed meanwhile.
package enum MigrationWorker {
    package static let count = 3000

    /// Making the attribute required rewrites every record; making it optional rewrites none.
    ///
    /// - Parameter hasPhotos: Whether it has an attribute whose values are kept in files.
    package static func schema(isRequired: Bool, hasPhotos: Bool = false) -> Schema {
        let photos = hasPhotos ? [Attribute("photo", .data, isOptional: true).external()] : []
        return Schema(entities: [
            Entity(
                "Item", key: "id", keyGeneration: .assigned,
                attributes: [
                    Attribute("id", Int64.self), Attribute("name", String.self),
                    Attribute("rank", .int64, isOptional: !isRequired, defaultValue: .integer(0)),
                    Attribute("other", .int64, isOptional: true, reference: .init(entity: "Item", onDelete: .nullify)),
                ] + photos,
                indexes: [.unique("name")])
        ])
    }

    /// Nothing of it rewrites records: an attribute and an index are added, and the other index is unique no longer.
    package static var alteredSchema: Schema {
        var entities = schema(isRequired: false).entities
        entities[0].attributes.append(Attribute("mood", .string, isOptional: true))
        entities[0].indexes = [.index("name"), .index("rank")]
        return Schema(entities: entities)
    }

    /// Makes the store with its records.
    package static func make(
        _ subject: ConformanceSubject, at path: String, count: Int = count, hasPhotos: Bool = false
    ) throws {
        let stack = try subject.open(schema(isRequired: false, hasPhotos: hasPhotos), at: path)
        try stack.blocking.write { tx in
            for number in 1...count {
                var item = try DynamicRecord("Item", in: tx.schema)
                try item.set("name", to: "item \(number)")
                try item.set("rank", to: number)
                if number > 1 { try item.set("other", to: Int64(number - 1)) }
                if hasPhotos, let photo = photo(number) { try item.set("photo", to: photo) }
                try tx.insert(item)
            }
        }
        try stack.blocking.close()
    }

    /// Two of the first records have the same one.
    private static func photo(_ number: Int) -> Data? {
        number <= 3 ? picture(max(2, number)) : nil
    }

    /// Whether a record is the one that was made with a number.
    package static func isItem(_ record: DynamicRecord, _ number: Int) throws -> Bool {
        let hasPhoto = record.entity.attributes.contains { $0.name == "photo" }
        return try record.value("id", as: Int64.self) == Int64(number)
            && record.value("name", as: String.self) == "item \(number)"
            && record.value("rank", as: Int64?.self) == Int64(number)
            && record.value("other", as: Int64?.self) == (number > 1 ? Int64(number - 1) : nil)
            && (!hasPhoto || record.value("photo", as: Data?.self) == photo(number))
    }

    /// Migrates to one schema and back, and reports each time.
    package static func run(
        _ subject: ConformanceSubject, at path: String, _ times: Int, report: (String) -> Void
    ) throws {
        for number in 0..<times {
            for isRequired in [true, false] {
                do {
                    try subject.open(schema(isRequired: isRequired), at: path, migration: .inferred).blocking.close()
                } catch let error as GranaryError where error.code == .busy || error.code == .schemaMismatch {
                    report("\(error.code)")
                }
            }
            report("\(number)")
        }
    }

    /// Opens the store with the schema that it has, and looks at all of it.
    package static func check(_ subject: ConformanceSubject, at path: String, count: Int = count) throws {
        let stack: Stack
        do {
            stack = try subject.open(schema(isRequired: true), at: path, migration: .refuse)
        } catch let error as GranaryError where error.code == .schemaMismatch {
            stack = try subject.open(schema(isRequired: false), at: path, migration: .refuse)
        }
        defer { try? stack.blocking.close() }
        try stack.blocking.read { snapshot in
            try expectEqual(try snapshot.count(Request("Item")), count)
            try expectEqual(try snapshot.count(Request("Item").where("rank == id AND other != NULL")), count - 1)
            try expectEqual(snapshot.transactionNumber, 1)
        }
        try expectEqual(try stack.blocking.verify(), [])
    }
}
