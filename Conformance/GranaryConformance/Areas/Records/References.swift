import ConformanceKit
import GranaryCore

var referencesCases: [ConformanceCase] {
    danglingReferencesCases + deferredReferencesCases + deleteRulesCases + deepDeletionCases + manyDeletionCases
}

private var danglingReferencesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "references.dangling-insert", in: .references, "a record that refers to none cannot be inserted"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.write { transaction in
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try transaction.insert(Box(id: 1, shelf: Ref(2)))
                }
                try expectError(.danglingReference, entity: "Box", attributes: ["spare"]) {
                    try transaction.insert(Box(id: 1, shelf: Ref(1), spare: Ref(2)))
                }
                try expectError(.danglingReference, entity: "Box", attributes: ["owner"]) {
                    try transaction.insert(Box(id: 1, shelf: Ref(1), owner: Ref(1)))
                }
                try expectError(.danglingReference, entity: "Box", attributes: ["outer"]) {
                    try transaction.upsert(Box(id: 1, shelf: Ref(1), outer: Ref(2)))
                }
                try expectEqual(try transaction.count(Box.all), 0)
                try transaction.insert(Box(id: 1, shelf: Ref(1)))
            }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(1))])
        },
        ConformanceCase(
            "references.dangling-update", in: .references, "an update cannot make a reference dangle"
        ) { trial in
            let box = Box(id: 1, shelf: Ref(1), spare: Ref(1))
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([box])
            try trial.write { transaction in
                try expectError(.danglingReference, entity: "Box", attributes: ["spare"]) {
                    try transaction.update(Box(id: 1, shelf: Ref(2), spare: Ref(3)))
                }
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try transaction.update([Box(id: 1, shelf: Ref(9))])
                }
            }
            try expectEqual(try trial.fetch(Box.all), [box])
            try expectEqual(try trial.keys(Box.where { $0.shelf == Ref(2) }), [])
            let moved = Box(id: 1, shelf: Ref(2), spare: nil)
            try trial.write { try $0.update(moved) }
            try expectEqual(try trial.fetch(Box.where { $0.shelf == Ref(2) }), [moved])
        },
        ConformanceCase(
            "references.unchecked", in: .references, "a reference with the rule `none` may dangle from the start"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.insert([Box(id: 1, shelf: Ref(1), loose: Ref(99))])
            try expectEqual(try trial.fetch(Box.where { $0.loose == Ref(99) }).map(\.id), [1])
            try trial.read { try expectEqual(try $0.find(Ref<Shelf>(99)), nil) }
        },
        ConformanceCase(
            "references.other-keys", in: .references, "references to records with keys of text and UUID are checked"
        ) { trial in
            try trial.open(Schema(Link.self, Note.self, Ticket.self))
            let ticket = Ticket(id: .timeOrdered(), label: "t")
            let other = Ticket(id: .timeOrdered())
            let stem = String(repeating: "n", count: 2000)
            try trial.insert([Note(slug: stem + "a"), Note(slug: "e\u{301}")])
            try trial.insert([ticket])
            try trial.write { transaction in
                try expectError(.danglingReference, entity: "Link", attributes: ["note"]) {
                    try transaction.insert(Link(id: 1, note: Ref(stem + "b")))
                }
                try expectError(.danglingReference, entity: "Link", attributes: ["note"]) {
                    try transaction.insert(Link(id: 1, note: Ref("\u{E9}")))
                }
                try expectError(.danglingReference, entity: "Link", attributes: ["ticket"]) {
                    try transaction.insert(Link(id: 1, ticket: Ref(other)))
                }
                try transaction.insert(Link(id: 1, note: Ref(stem + "a"), ticket: Ref(ticket)))
                try transaction.insert(Link(id: 2, note: Ref("e\u{301}"), ticket: Ref(ticket)))
            }
            try trial.write {
                try expect(try $0.delete(Ticket.self, ticket.id), "it was there")
                try expect(try $0.delete(Note.self, stem + "a"), "it was there")
            }
            try expectEqual(try trial.fetch(Link.all), [Link(id: 2, note: Ref("e\u{301}"))])
        },
        ConformanceCase("references.self", in: .references, "a record may refer to itself") { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.write {
                try $0.insert(Box(id: 1, shelf: Ref(1), outer: Ref(1)))
                try $0.insert(Box(id: 2, shelf: Ref(1)))
                try $0.update(Box(id: 2, shelf: Ref(1), outer: Ref(2)))
                try expect(try $0.delete(Box.self, 1), "it was there")
            }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 2, shelf: Ref(1), outer: Ref(2))])
        },
        ConformanceCase(
            "references.looked-up", in: .references, "whether the record referred to exists is looked up each time"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.write { transaction in
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try transaction.insert(Box(id: 1, shelf: Ref(2)))
                }
                try transaction.insert(Shelf(id: 2))
                try transaction.insert(Box(id: 1, shelf: Ref(2)))
                do {
                    try transaction.savepoint {
                        try transaction.insert(Shelf(id: 3))
                        throw Abandon()
                    }
                } catch is Abandon {}
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try transaction.insert(Box(id: 2, shelf: Ref(3)))
                }
            }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(2))])
        },
    ]
}

private var deferredReferencesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "references.deferred", in: .references, "references may dangle until the end of a deferring part"
        ) { trial in
            let boxes = [
                Box(id: 1, shelf: Ref(8), outer: Ref(2)), Box(id: 2, shelf: Ref(8), outer: Ref(3)),
                Box(id: 3, shelf: Ref(8), owner: Ref(5), outer: Ref(1)),
            ]
            let result = try trial.write { transaction in
                try transaction.deferringReferences {
                    for box in boxes { try transaction.insert(box) }
                    try transaction.insert(Shelf(id: 8))
                    try transaction.insert(Person(id: 5))
                    return "done"
                }
            }
            try expectEqual(result, "done")
            try expectEqual(try trial.fetch(Box.all), boxes)
        },
        ConformanceCase(
            "references.deferred-first", in: .references,
            "of several references of a record that dangle at the end, the error names the first attribute"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.insert([Box(id: 1, shelf: Ref(1))])
            try trial.write { transaction in
                try expectError(.danglingReference, entity: "Box", attributes: ["spare"]) {
                    try transaction.deferringReferences {
                        // Written last to first, so that the order of writing does not decide.
                        try transaction.update(Box(id: 1, shelf: Ref(1), owner: Ref(7)))
                        try transaction.update(Box(id: 1, shelf: Ref(1), spare: Ref(8), owner: Ref(7)))
                    }
                }
            }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(1))])
        },
        ConformanceCase(
            "references.deferred-fails", in: .references,
            "a reference that dangles at the end undoes the deferring part"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.write { transaction in
                try transaction.insert(Box(id: 1, shelf: Ref(1)))
                try expectError(.danglingReference, entity: "Box", attributes: ["outer"]) {
                    try transaction.deferringReferences {
                        try transaction.insert(Box(id: 2, shelf: Ref(1), outer: Ref(3)))
                        try transaction.insert(Shelf(id: 2))
                    }
                }
                try expectEqual(try transaction.fetch(Shelf.all).map(\.id), [1])
                // From here on each call is checked again.
                try expectError(.danglingReference, entity: "Box", attributes: ["outer"]) {
                    try transaction.insert(Box(id: 2, shelf: Ref(1), outer: Ref(3)))
                }
            }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(1))])
        },
        ConformanceCase(
            "references.deferred-mended", in: .references,
            "what dangled and was changed or deleted is no error at the end"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.write { transaction in
                try transaction.deferringReferences {
                    try transaction.insert(Box(id: 1, shelf: Ref(1), outer: Ref(50)))
                    try transaction.insert(Box(id: 2, shelf: Ref(60)))
                    try transaction.update(Box(id: 1, shelf: Ref(1)))
                    try transaction.delete(Box.self, 2)
                }
            }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(1))])
        },
        ConformanceCase(
            "references.deferred-throws", in: .references, "an error thrown in a deferring part undoes it alone"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.write { transaction in
                do {
                    try transaction.deferringReferences {
                        try transaction.insert(Box(id: 1, shelf: Ref(9)))
                        throw Abandon()
                    }
                } catch is Abandon {}
                try transaction.insert(Box(id: 2, shelf: Ref(1)))
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try transaction.insert(Box(id: 3, shelf: Ref(9)))
                }
            }
            try expectEqual(try trial.keys(Box.all), [2])
        },
        ConformanceCase(
            "references.deferred-nested", in: .references, "parts that defer nest, batches inside them too"
        ) { trial in
            try trial.write { transaction in
                try transaction.deferringReferences {
                    try transaction.insert(Shelf(id: 1))
                    try transaction.deferringReferences {
                        try transaction.insert(Box(id: 1, shelf: Ref(1), outer: Ref(2)))
                        try transaction.insert(Box(id: 2, shelf: Ref(1)))
                    }
                    try transaction.insert([Box(id: 3, shelf: Ref(1), outer: Ref(4)), Box(id: 4, shelf: Ref(1))])
                    try transaction.insert(Box(id: 5, shelf: Ref(1), outer: Ref(6)))
                    try transaction.insert(Box(id: 6, shelf: Ref(1)))
                }
            }
            try expectEqual(try trial.keys(Box.all), [1, 2, 3, 4, 5, 6])
        },
    ]
}
