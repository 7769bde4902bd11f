package import ConformanceKit
package import GranaryCore

/// A list of steps over a few record types, run on a store and on the reference at once.
///
/// Steps up to a `commit` or a `rollback` are one write. Every list of steps is a program: what ends a savepoint where
/// none is open does nothing, and what is open at the end is committed. So any step can be left out when shrinking.
package struct Program: Sendable {
    package var steps: [Step]

    package static let types: [any ProgramRecord.Type] = [Shelf.self, Person.self, Box.self, Note.self]
    package static let schema = Schema(Shelf.self, Person.self, Box.self, Note.self)

    /// Entities by their position in ``types``, rows by attribute position.
    package enum Step: Sendable {
        case insert(Int, [StoredValue])
        case insertMany(Int, [[StoredValue]])
        case update(Int, [StoredValue])
        case upsert(Int, [StoredValue])
        case delete(Int, StoredValue)
        case updateAll(ProgramQuery, [(name: String, value: StoredValue)])
        /// Adds to a number of each record.
        case addAll(ProgramQuery, String, StoredValue)
        case deleteAll(ProgramQuery)
        case find(Int, StoredValue)
        case fetch(ProgramQuery)
        case count(ProgramQuery)
        case beginSavepoint, releaseSavepoint, rollbackSavepoint
        case commit, rollback
    }
}

/// A query without a type.
package struct ProgramQuery: Sendable {
    package var entity: Int
    package var condition: AnyCondition?
    package var order: [Ordering]
    package var limit: Int?
    package var offset: Int

    package func typed<R: Record>(_ type: R.Type) -> Query<R> {
        var query = R.all.sorted(by: order).offset(offset)
        if let condition { query = query.where(condition) }
        return limit.map(query.limit) ?? query
    }
}

/// A record that programs can make from values and set by name.
package protocol ProgramRecord: Record {
    static func set(_ name: String, _ value: StoredValue, in changes: inout Changes<Self>) throws
    /// The same with an amount that is added; only ``Person`` has numbers to which programs add.
    static func add(_ amount: StoredValue, to name: String, in changes: inout Changes<Self>) throws
}

extension ProgramRecord {
    package static func add(_ amount: StoredValue, to name: String, in changes: inout Changes<Self>) throws {}
}

extension Record {
    package static func made(of values: [StoredValue]) throws -> Self {
        var writer = RowWriter(count: values.count)
        for (position, value) in values.enumerated() { try value.encode(into: &writer, at: position) }
        return try writer.withRow { row throws in try Self(row: row) }
    }

    package var values: [StoredValue] {
        get throws {
            let count = Self.entity.attributes.count
            var writer = RowWriter(count: count)
            try encode(into: &writer)
            return writer.withRow { row in (0..<count).map { StoredValue(row[$0]) } }
        }
    }
}

extension Shelf: ProgramRecord {
    package static func set(_ name: String, _ value: StoredValue, in changes: inout Changes<Shelf>) throws {
        changes.set(\.name, to: try value.value())
    }
}

extension Note: ProgramRecord {
    package static func set(_ name: String, _ value: StoredValue, in changes: inout Changes<Note>) throws {
        switch name {
        case "body": changes.set(\.body, to: try value.value())
        default: changes.set(\.topic, to: try value.value())
        }
    }
}

extension Person: ProgramRecord {
    package static func set(_ name: String, _ value: StoredValue, in changes: inout Changes<Person>) throws {
        switch name {
        case "firstName": changes.set(\.firstName, to: try value.value())
        case "lastName": changes.set(\.lastName, to: try value.value())
        case "email": changes.set(\.email, to: try value.value())
        case "age": changes.set(\.age, to: try value.value())
        case "rating": changes.set(\.rating, to: try value.value())
        case "country": changes.set(\.country, to: try value.value())
        case "number": changes.set(\.number, to: try value.value())
        default: changes.set(\.isActive, to: try value.value())
        }
    }

    package static func add(_ amount: StoredValue, to name: String, in changes: inout Changes<Person>) throws {
        switch name {
        case "age": changes.add(\.age, try amount.value())
        case "rating": changes.add(\.rating, try amount.value())
        default: changes.add(\.number, try amount.value())
        }
    }
}

extension Box: ProgramRecord {
    package static func set(_ name: String, _ value: StoredValue, in changes: inout Changes<Box>) throws {
        switch name {
        case "shelf": changes.set(\.shelf, to: try value.value())
        case "spare": changes.set(\.spare, to: try value.value())
        case "owner": changes.set(\.owner, to: try value.value())
        case "outer": changes.set(\.outer, to: try value.value())
        default: changes.set(\.loose, to: try value.value())
        }
    }
}
