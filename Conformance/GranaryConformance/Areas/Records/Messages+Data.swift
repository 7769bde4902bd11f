import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

/// What errors know of the data: the value, and the other record. A log has neither, but for keys that are numbers.
var messageDataCases: [ConformanceCase] {
    [
        ConformanceCase(
            "messages.taken-values", in: .messages, "an error about a value that is taken has the value and its record"
        ) { trial in
            try trial.insert([Person(id: 1, email: "ada@example.org", country: "a", number: 1)])
            try trial.write { tx in
                let verbs: [() throws -> Person] = [
                    { try tx.insert(Person(id: 2, email: "ada@example.org", number: 2)) },
                    { try tx.upsert(Person(id: 3, email: "ada@example.org", number: 3)) },
                ]
                for verb in verbs {
                    let error = try expectError(.uniqueness, entity: "Person", attributes: ["email"], verb)
                    try expectEqual(error.value, "ada@example.org")
                    try expectEqual(error.key, .integer(1))
                    try expect(!"\(error)".contains("ada@"), "\(error)")
                }
                var error = try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try tx.insert(Person(id: 4, country: "a", number: 1))
                }
                try expectEqual(error.value, "a, 1")
                try expectEqual(error.key, .integer(1))
                error = try expectError(.uniqueness, entity: "Person", attributes: ["id"]) {
                    try tx.insert(Person(id: 1, number: 9))
                }
                try expectEqual(error.key, .integer(1))
                try tx.insert(Person(id: 5, email: "b", number: 5))
                error = try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try tx.update(Person(id: 5, email: "ada@example.org", number: 5))
                }
                try expectEqual(error.key, .integer(1))
            }
        },
        ConformanceCase(
            "messages.references", in: .messages, "an error about a reference has its key, and the record that refers"
        ) { trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([Box(id: 7, shelf: Ref(2))])
            try trial.write { tx in
                var error = try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try tx.insert(Box(id: 8, shelf: Ref(9)))
                }
                try expectEqual(error.value, "9")
                error = try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    try tx.delete(Shelf.self, 2)
                }
                try expectEqual([error.value, error.key.map { "\($0)" }], ["2", "\(StoredValue.integer(7))"])
                error = try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    try Shelf.deleteAll(in: tx)
                }
                try expectEqual([error.value, error.key.map { "\($0)" }], ["2", "\(StoredValue.integer(7))"])
                try expectEqual(try tx.count(Shelf.all), 2)
            }
        },
        ConformanceCase(
            "messages.denied-cascades", in: .messages, "a reference that forbids a cascade is found behind it"
        ) { trial in
            func entity(_ name: String, _ target: String? = nil, _ rule: DeleteRule = .deny) -> Entity {
                let reference = target.map {
                    Attribute("of", .int64, reference: .init(entity: $0, onDelete: rule))
                }
                return Entity(
                    name, key: "id", attributes: [Attribute("id", Int64.self)] + (reference.map { [$0] } ?? []))
            }
            try trial.open(
                Schema(entities: [entity("Root"), entity("Branch", "Root", .cascade), entity("Leaf", "Branch")]))
            try trial.write { tx in
                _ = try tx.insert([.integer(1)], into: 0)
                for key in 10...12 { _ = try tx.insert([.integer(Int64(key)), .integer(1)], into: 1) }
                _ = try tx.insert([.integer(5), .integer(11)], into: 2)
                let error = try expectError(.deniedDeletion, entity: "Leaf", attributes: ["of"]) {
                    try tx.delete(.integer(1), from: 0)
                }
                try expectEqual(error.value, "11")
                try expectEqual(error.key, .integer(5))
            }
        },
        ConformanceCase(
            "messages.long-values", in: .messages, "a value is shortened to a line of 60 characters"
        ) { trial in
            let email = "a\n" + String(repeating: "x", count: 100)
            try trial.insert([Person(id: 1, email: email, number: 1)])
            try trial.write { tx in
                let error = try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try tx.insert(Person(id: 2, email: email, number: 2))
                }
                try expectEqual(error.value, "a\\n" + String(repeating: "x", count: 57) + "…")
            }
        },
    ]
}
