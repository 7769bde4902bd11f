import ConformanceKit
import ConformanceModels
import GranaryCore

// What others add to a record that a context has deleted goes with it: at once in the context, in the store with the save.

var pendingCascadesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.cascade-added", in: .contexts,
            "what others add to a record that is deleted here is not shown, and the save says that it went too"
        ) { trial in
            let context = try deleteFirstCard(trial)
            try trial.write { tx in
                try tx.insert([Step(id: "c", card: Ref(1)), Step(id: "d", card: Ref(2))])
            }
            try expectEqual(try context.fetch(Step.all).map(\.id), ["b", "d"])
            try expectEqual(try context.count(Step.all), 2)
            try expectEqual(try context.count(Step.where { $0.id > "a" }), 2)
            try expectEqual(try context.find(Step.self, "c"), nil)
            try expectEqual(try context.fetch(Step.where { $0.id == "c" }).map(\.id), [])
            let result = try context.blocking.save()
            try expectEqual(result.cascadedDeletions, [CascadedDeletion(entity: "Step", key: .string("c"))])
            try expectEqual(try trial.keys(Step.all), ["b", "d"])
        },
        ConformanceCase(
            "contexts.cascade-known", in: .contexts, "what a context has deleted itself is not told of by the save"
        ) { trial in
            let context = try deleteFirstCard(trial)
            try trial.write { try $0.insert(Board(id: 9)) }
            try expectEqual(try context.blocking.save().cascadedDeletions, [])
            try expectEqual(try trial.keys(Step.all), ["b"])
        },
        ConformanceCase(
            "contexts.cascade-back", in: .contexts, "what others added is shown again when the deletion is taken back"
        ) { trial in
            let context = try deleteFirstCard(trial)
            try trial.write { try $0.insert(Step(id: "c", card: Ref(1))) }
            try expectEqual(try context.fetch(Step.all).map(\.id), ["b"])
            struct Stop: Error {}
            do {
                try context.savepoint {
                    try context.insert(Card(id: 1))
                    try expectEqual(try context.fetch(Step.all).map(\.id), ["b", "c"])
                    throw Stop()
                }
            } catch is Stop {}
            try expectEqual(try context.fetch(Step.all).map(\.id), ["b"])
            context.rollback()
            try expectEqual(try context.fetch(Step.all).map(\.id), ["a", "b", "c"])
        },
        ConformanceCase(
            "contexts.cascade-unique", in: .contexts,
            "what a child's save brings back into its parent is compared with the unique values that the child has written"
        ) { trial in
            try trial.open(ContextProgram.schema)
            func item(_ key: Int64, slot: Int64, owner: Int64? = nil) throws -> DynamicRecord {
                let owner = owner.map { StoredValue.integer($0) } ?? .null
                return try made(
                    "Item", in: ContextProgram.schema,
                    ["id": .integer(key), "home": .integer(1), "slot": .integer(slot), "owner": owner])
            }
            var owner = try made(
                "Owner", in: ContextProgram.schema, ["id": .integer(1), "name": .string("a"), "rank": .integer(1)])
            let shelf = try made("Shelf", in: ContextProgram.schema, ["id": .integer(1), "name": .string("a")])
            try trial.write { tx in
                _ = try tx.insert(shelf)
                _ = try tx.insert(owner)
                _ = try tx.insert(item(1, slot: 0))
            }
            let parent = try trial.stack.makeContext()
            let child = try parent.makeChild()
            child.mergePolicy = .overwrite
            try owner.set("name", toStored: .string("b"))
            _ = try child.update(owner)
            _ = try child.update(item(1, slot: 2))
            _ = try parent.delete(owner)
            try trial.write { _ = try $0.insert(item(5, slot: 2, owner: 1)) }
            func shown() throws -> [StoredValue] { try parent.fetch(Request("Item")).map(\.key) }
            try expectEqual(try shown(), [.integer(1)])
            try expectError(.uniqueness, entity: "Item", attributes: ["home", "slot"]) { try child.saveToParent() }
            try expectEqual(try shown(), [.integer(1)])
            _ = try child.update(item(1, slot: 3))
            try child.saveToParent()
            try expectEqual(try shown(), [.integer(1), .integer(5)])
        },
        ConformanceCase(
            "contexts.cascade-undone", in: .contexts,
            "undo refuses to set back a record that is not shown because it goes with a deleted one"
        ) { trial in
            try trial.write { tx in
                try tx.insert([Shelf(id: 1), Shelf(id: 2)])
                try tx.insert(Person(id: 1, country: "NO"))
                try tx.insert(Box(id: 5, shelf: Ref(1)))
            }
            let context = try trial.stack.makeContext()
            context.isUndoEnabled = true
            try context.delete(Person.self, 1)
            try context.update(Box(id: 5, shelf: Ref(2)))
            try trial.write { try $0.update(Box(id: 5, shelf: Ref(1), owner: Ref(1))) }
            try expectEqual(try context.count(Box.all), 0)
            try expectError(.recordNotFound, entity: "Box") { try context.undo() }
            try expectEqual(try context.count(Box.all), 0)
        },
        ConformanceCase(
            "contexts.cascade-not-in-the-way", in: .contexts,
            "a changed record that is not shown because it goes with a deleted one holds no unique value, and denies nothing"
        ) { trial in
            try trial.open(ContextProgram.schema)
            func item(_ key: Int64, home: Int64, slot: Int64, owner: Int64? = nil) throws -> DynamicRecord {
                let owner = owner.map { StoredValue.integer($0) } ?? .null
                return try made(
                    "Item", in: ContextProgram.schema,
                    ["id": .integer(key), "home": .integer(home), "slot": .integer(slot), "owner": owner])
            }
            try trial.write { tx in
                for key in 1...2 {
                    _ = try tx.insert(
                        made("Shelf", in: tx.schema, ["id": .integer(Int64(key)), "name": .string("a")]))
                }
                _ = try tx.insert(
                    made("Owner", in: tx.schema, ["id": .integer(1), "name": .string("a"), "rank": .integer(1)]))
                _ = try tx.insert(item(1, home: 1, slot: 0))
            }
            let context = try trial.stack.makeContext()
            _ = try context.delete("Owner", 1)
            _ = try context.update(item(1, home: 1, slot: 2))
            try trial.write { _ = try $0.update(item(1, home: 1, slot: 0, owner: 1)) }
            try expectEqual(try context.count(Request("Item")), 0)
            _ = try context.insert(item(5, home: 2, slot: 0))
            _ = try context.update(item(5, home: 1, slot: 2))
            _ = try context.update(item(5, home: 2, slot: 2))
            _ = try context.delete("Shelf", 1)
            try context.blocking.save()
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Request("Item")).map(\.key), [.integer(5)])
                try expectEqual(try snapshot.fetch(Request("Shelf")).map(\.key), [.integer(2)])
            }
        },
        ConformanceCase(
            "contexts.cascade-changed", in: .contexts,
            "a changed record that a cascade takes along may refer to another that goes with it"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Shelf(id: 1))
                try tx.insert(Person(id: 1, country: "NO"))
                try tx.insert([Box(id: 5, shelf: Ref(1)), Box(id: 6, shelf: Ref(1))])
            }
            let context = try trial.stack.makeContext()
            try context.delete(Person.self, 1)
            try context.update(Box.self, 6) { $0.outer = Ref(5) }
            try trial.write { tx in
                try tx.update(Box(id: 5, shelf: Ref(1), owner: Ref(1)))
                try tx.update(Box(id: 6, shelf: Ref(1), owner: Ref(1)))
            }
            let result = try context.blocking.save()
            try expectEqual(result.conflicts.count, 0)
            try expectEqual(result.cascadedDeletions.map(\.key), [.integer(5), .integer(6)])
            try expectEqual(try trial.keys(Box.all), [])
            try expect(!context.hasChanges, "changes are left")
        },
        ConformanceCase(
            "contexts.cascade-deep", in: .contexts,
            "a cascade goes on through what others have added, also from a child"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.insert([Board(id: 1), Board(id: 2)])
            let parent = try trial.stack.makeContext()
            let child = try parent.makeChild()
            try child.delete(Board.self, 1)
            try parent.insert(Card(id: 1, archive: Ref(1)))
            try trial.write { tx in
                try tx.insert([Card(id: 2, archive: Ref(1)), Card(id: 3, board: Ref(1), place: 4)])
                try tx.insert([Step(id: "a", card: Ref(2))])
            }
            try expectEqual(try child.fetch(Card.all).map(\.id), [3])
            try expectEqual(try child.count(Step.all), 0)
            try expectEqual(try parent.fetch(Card.all).map(\.id), [1, 2, 3])
            try expectEqual(
                try child.blocking.save().cascadedDeletions,
                [
                    CascadedDeletion(entity: "Card", key: .integer(1)),
                    CascadedDeletion(entity: "Card", key: .integer(2)),
                    CascadedDeletion(entity: "Step", key: .string("a")),
                ])
            try expectEqual(try trial.keys(Card.all), [3])
            try expectEqual(try trial.keys(Step.all), [])
        },
    ]
}

/// Two cards with a step each, the first of them deleted in a context.
private func deleteFirstCard(_ trial: Trial) throws -> EditContext {
    try trial.open(SuiteSchema.boards)
    try trial.insert([Card(id: 1), Card(id: 2)])
    try trial.insert([Step(id: "a", card: Ref(1)), Step(id: "b", card: Ref(2))])
    let context = try trial.stack.makeContext()
    try context.delete(Card.self, 1)
    return context
}
