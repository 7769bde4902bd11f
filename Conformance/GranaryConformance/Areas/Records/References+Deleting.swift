import ConformanceKit
import Foundation
import GranaryCore

var deleteRulesCases: [ConformanceCase] {
    [
        ConformanceCase("references.nullify", in: .references, "a reference becomes nil when its record is deleted") {
            trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2), Shelf(id: 3)])
            try trial.insert([
                Box(id: 1, shelf: Ref(1), spare: Ref(2)), Box(id: 2, shelf: Ref(1), spare: Ref(3)),
                Box(id: 3, shelf: Ref(1), spare: Ref(2)),
            ])
            try trial.write { try expectEqual(try $0.delete(Shelf.self, 2), true) }
            try expectEqual(
                try trial.fetch(Box.all),
                [Box(id: 1, shelf: Ref(1)), Box(id: 2, shelf: Ref(1), spare: Ref(3)), Box(id: 3, shelf: Ref(1))])
            try expectEqual(try trial.keys(Box.where { $0.spare == nil }), [1, 3])
            try expectEqual(try trial.keys(Box.where { $0.spare == Ref(2) }), [])
            // A new record of that key is not what they referred to.
            try trial.insert([Shelf(id: 2)])
            try expectEqual(try trial.keys(Box.where { $0.spare == Ref(2) }), [])
        },
        ConformanceCase("references.deny", in: .references, "a record that a `deny` reference names cannot be deleted")
        {
            trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([Box(id: 1, shelf: Ref(1), spare: Ref(2))])
            try trial.write { transaction in
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    try transaction.delete(Shelf.self, 1)
                }
                try expectEqual(try transaction.count(Shelf.all), 2)
                try expect(try transaction.delete(Box.self, 1), "it was there")
                try expect(try transaction.delete(Shelf.self, 1), "it was there")
            }
            try expectEqual(try trial.keys(Shelf.all), [2])
        },
        ConformanceCase(
            "references.deny-several", in: .references,
            "of several references that deny a deletion, the first in the schema is named"
        ) { trial in
            func referring(_ name: String, _ attributes: String...) -> Entity {
                let reference = Attribute.Reference(entity: "Shelf", onDelete: .deny)
                return Entity(
                    name, key: "id",
                    attributes: [Attribute("id", Int64.self)]
                        + attributes.map { Attribute($0, .int64, isOptional: true, reference: reference) })
            }
            let schema = Schema(entities: [Shelf.entity, referring("Case", "low", "high"), referring("Drawer", "side")])
            try trial.open(schema)
            func expectDenied(by entity: String, _ attribute: String) throws {
                try trial.write { tx in
                    try expectError(.deniedDeletion, entity: entity, attributes: [attribute]) {
                        try tx.delete(Shelf.self, 1)
                    }
                    try expectError(.deniedDeletion, entity: entity, attributes: [attribute]) {
                        try Shelf.all.deleteAll(in: tx)
                    }
                }
            }
            try trial.insert([Shelf(id: 1)])
            let one = StoredValue.integer(1)
            try trial.write { _ = try $0.insert([one, one], into: 2) }
            try expectDenied(by: "Drawer", "side")
            try trial.write { _ = try $0.insert([.integer(2), .null, one], into: 1) }
            try expectDenied(by: "Case", "high")
            try trial.write { _ = try $0.insert([.integer(3), one, .null], into: 1) }
            try expectDenied(by: "Case", "low")
        },
        ConformanceCase(
            "references.deny-whole", in: .references, "a denied deletion has changed nothing by other rules either"
        ) { trial in
            let boxes = [
                Box(id: 1, shelf: Ref(2), spare: Ref(1)), Box(id: 2, shelf: Ref(1), spare: Ref(1), loose: Ref(1)),
            ]
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert(boxes)
            try trial.write { transaction in
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    try transaction.delete(Shelf.self, 1)
                }
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    try Shelf.deleteAll(in: transaction)
                }
                try expectEqual(try transaction.fetch(Box.all), boxes)
            }
            try expectEqual(try trial.fetch(Box.all), boxes)
            try expectEqual(try trial.keys(Box.where { $0.spare == Ref(1) }), [1, 2])
            try expectEqual(try trial.keys(Shelf.all), [1, 2])
        },
        ConformanceCase("references.none", in: .references, "a reference with the rule `none` is left as it is") {
            trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([Box(id: 1, shelf: Ref(1), loose: Ref(2))])
            try trial.write { try expect(try $0.delete(Shelf.self, 2), "it was there") }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(1), loose: Ref(2))])
            try trial.write { try $0.update(Box(id: 1, shelf: Ref(1), spare: Ref(1), loose: Ref(2))) }
            try expectEqual(try trial.keys(Box.where { $0.loose == Ref(2) }), [1])
        },
        ConformanceCase("references.cascade", in: .references, "what refers by `cascade` is deleted too, and no more") {
            trial in
            try trial.insert([Person(id: 1), Person(id: 2, number: 2)])
            try trial.insert([Shelf(id: 1)])
            try trial.insert([
                Box(id: 1, shelf: Ref(1), owner: Ref(1)), Box(id: 2, shelf: Ref(1), owner: Ref(2)),
                Box(id: 3, shelf: Ref(1), owner: Ref(2), outer: Ref(1)), Box(id: 4, shelf: Ref(1), outer: Ref(3)),
                Box(id: 5, shelf: Ref(1)),
            ])
            try trial.write { try expectEqual(try $0.delete(Person.self, 1), true) }
            try expectEqual(try trial.keys(Box.all), [2, 5])
            try expectEqual(try trial.keys(Box.where { $0.shelf == Ref(1) }), [2, 5])
            try expectEqual(try trial.keys(Person.all), [2])
            try expectEqual(try trial.keys(Shelf.all), [1])
        },
        ConformanceCase("references.cascade-chain", in: .references, "a cascade follows a chain of 1 000") { trial in
            try trial.insert([Shelf(id: 1)])
            let chain = (1...1000).map { Box(id: $0, shelf: Ref(1), outer: $0 == 1 ? nil : Ref($0 - 1)) }
            try trial.insert(chain + [Box(id: 2000, shelf: Ref(1))])
            try trial.write { try expectEqual(try $0.delete(Box.self, 501), true) }
            try expectEqual(try trial.keys(Box.all), Array(1...500) + [2000])
            try trial.write { try expectEqual(try $0.delete(Box.self, 1), true) }
            try expectEqual(try trial.keys(Box.all), [2000])
        },
        ConformanceCase("references.cascade-cycle", in: .references, "a cascade ends in a circle") { trial in
            try trial.insert([Shelf(id: 1)])
            let circle = (1...50).map { Box(id: $0, shelf: Ref(1), outer: Ref($0 % 50 + 1)) }
            try trial.insert(circle + [Box(id: 60, shelf: Ref(1), outer: Ref(7)), Box(id: 70, shelf: Ref(1))])
            try trial.write { try expectEqual(try $0.delete(Box.self, 25), true) }
            try expectEqual(try trial.keys(Box.all), [70])
        },
        ConformanceCase("references.cascade-wide", in: .references, "a cascade deletes thousands of records") { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.insert([Person(id: 1), Person(id: 2, number: 2)])
            try trial.insert((1...2000).map { Box(id: $0, shelf: Ref(1), owner: Ref($0 % 2 + 1)) })
            try trial.write { try expectEqual(try $0.delete(Person.self, 2), true) }
            try expectEqual(try trial.keys(Box.all), (1...1000).map { $0 * 2 })
        },
        ConformanceCase(
            "references.cascade-denied", in: .references, "a cascade that would break a `deny` reference does nothing"
        ) { trial in
            try trial.open(Schema(Link.self, Note.self, Ticket.self))
            try trial.insert([Note(slug: "a")])
            let links = [Link(id: 1, note: Ref("a")), Link(id: 2, note: Ref("a")), Link(id: 3, next: Ref(2))]
            try trial.insert(links)
            try trial.write { transaction in
                try expectError(.deniedDeletion, entity: "Link", attributes: ["next"]) {
                    try transaction.delete(Note.self, "a")
                }
                try expectEqual(try transaction.fetch(Link.all), links)
            }
            try expectEqual(try trial.fetch(Link.all), links)
            try expectEqual(try trial.keys(Note.all), ["a"])
        },
        ConformanceCase(
            "references.deny-together", in: .references,
            "a `deny` reference does not keep what is deleted together with it"
        ) { trial in
            try trial.open(Schema(Link.self, Note.self, Ticket.self))
            try trial.insert([Note(slug: "a")])
            try trial.insert([
                Link(id: 1, next: Ref(1)), Link(id: 2, next: Ref(3), note: Ref("a")),
                Link(id: 3, next: Ref(2), note: Ref("a")),
                Link(id: 4, next: Ref(5)), Link(id: 5, next: Ref(4)), Link(id: 6),
            ])
            try trial.write {
                try expectEqual(try $0.delete(Link.self, 1), true)
                try expectEqual(try $0.delete(Note.self, "a"), true)
                try expectEqual(try $0.fetch(Link.all).map(\.id), [4, 5, 6])
                try expectEqual(try Link.where { $0.id <= 5 }.deleteAll(in: $0), 2)
            }
            try expectEqual(try trial.keys(Link.all), [6])
        },
        ConformanceCase("references.delete-all", in: .references, "deleting by query follows the rules of each record")
        {
            trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2), Shelf(id: 3)])
            try trial.insert([Person(id: 1), Person(id: 2, number: 2)])
            try trial.insert([
                Box(id: 1, shelf: Ref(1), spare: Ref(2), owner: Ref(1)), Box(id: 2, shelf: Ref(1), spare: Ref(3)),
                Box(id: 3, shelf: Ref(1), owner: Ref(2), outer: Ref(1)), Box(id: 4, shelf: Ref(1), owner: Ref(2)),
            ])
            try trial.write {
                try expectEqual(try Shelf.where { $0.id >= 2 }.deleteAll(in: $0), 2)
                try expectEqual(try Person.where { $0.number == 0 }.deleteAll(in: $0), 1)
            }
            try expectEqual(
                try trial.fetch(Box.all), [Box(id: 2, shelf: Ref(1)), Box(id: 4, shelf: Ref(1), owner: Ref(2))])
            try trial.write {
                try expectEqual(try Box.deleteAll(in: $0), 2)
                try expectEqual(try Shelf.deleteAll(in: $0), 1)
            }
            try trial.read {
                try expectEqual(try [$0.count(Box.all), $0.count(Shelf.all), $0.count(Person.all)], [0, 0, 1])
            }
        },
        ConformanceCase(
            "references.delete-all-cascade", in: .references,
            "deleting all of a type that refers to itself counts what matched"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.insert((1...20).map { Box(id: $0, shelf: Ref(1), outer: $0 == 1 ? nil : Ref($0 - 1)) })
            try expectEqual(try trial.write { try Box.where { $0.id.in([3, 10, 20]) }.deleteAll(in: $0) }, 3)
            try expectEqual(try trial.keys(Box.all), [1, 2])
        },
        ConformanceCase(
            "references.rolled-back", in: .references, "what a cascade did in an undone savepoint is undone"
        ) { trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([Person(id: 1)])
            let boxes = [
                Box(id: 1, shelf: Ref(1), owner: Ref(1)), Box(id: 2, shelf: Ref(1), spare: Ref(2), outer: Ref(1)),
            ]
            try trial.insert(boxes + [Box(id: 3, shelf: Ref(1), spare: Ref(2))])
            try trial.write { transaction in
                do {
                    try transaction.savepoint {
                        try transaction.delete(Person.self, 1)
                        try transaction.delete(Shelf.self, 2)
                        try expectEqual(try transaction.fetch(Box.all), [Box(id: 3, shelf: Ref(1))])
                        throw Abandon()
                    }
                } catch is Abandon {}
            }
            try expectEqual(try trial.fetch(Box.all), boxes + [Box(id: 3, shelf: Ref(1), spare: Ref(2))])
            try expectEqual(try trial.keys(Box.where { $0.spare == Ref(2) }), [2, 3])
            try expectEqual(try trial.keys(Person.all), [1])
        },
    ]
}
