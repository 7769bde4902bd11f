import ConformanceKit
import ConformanceModels
import GranaryCore

private let ada = Person(id: 1, firstName: "Ada", email: "ada@x", age: 36, country: "GB", number: 1)
private let bo = Person(id: 2, firstName: "Bo", email: "bo@x", age: 20, country: "SE", number: 1)

/// A context that notes what can be undone, over these people.
private func context(_ trial: Trial) throws -> EditContext {
    try trial.insert([ada, bo])
    let context = try trial.stack.makeContext(named: "editor")
    context.isUndoEnabled = true
    return context
}

private func people(_ context: ReadContext) throws -> [Person] { try context.fetch(Person.all) }

var undoCases: [ConformanceCase] {
    [
        ConformanceCase("undo.calls", in: .undo, "each call is undone by itself, the last first, and done again") {
            trial in
            let edit = try context(trial)
            let new = Person(id: 3, country: "NO")
            try edit.insert(new)
            try edit.update(ada.with { $0.age = 1 })
            try edit.delete(Person.self, 2)
            let states = [
                [ada, bo], [ada, bo, new], [ada.with { $0.age = 1 }, bo, new], [ada.with { $0.age = 1 }, new],
            ]
            for (number, state) in states.enumerated().reversed() {
                try expectEqual(try people(edit), state)
                try expectEqual(try edit.undo(), number > 0)
            }
            try expect(!edit.hasChanges, "changes are left after everything was undone")
            try expect(!edit.canUndo && edit.canRedo, "canUndo \(edit.canUndo), canRedo \(edit.canRedo)")
            for state in states.dropFirst() {
                try expectEqual(try edit.redo(), true)
                try expectEqual(try people(edit), state)
            }
            try expectEqual(try edit.redo(), false)
            try edit.blocking.save()
            try expectEqual(try trial.fetch(Person.all), states[3])
        },
        ConformanceCase(
            "undo.others", in: .undo,
            "undo leaves what others have made of a record since, also of what it was to set back"
        ) { trial in
            let edit = try context(trial)
            try edit.update(ada.with { ($0.age, $0.country) = (37, "FR") })
            try edit.blocking.save()
            try trial.stack.blocking.write { _ = try $0.update(Person.self, 1) { $0.age = 99 } }
            try expectEqual(try edit.undo(), true)
            try expectEqual(try edit.find(Person.self, 1), ada.with { $0.age = 99 })
            try expectEqual(try edit.redo(), true)
            try expectEqual(try edit.find(Person.self, 1), ada.with { ($0.age, $0.country) = (99, "FR") })
            try edit.undo()
            try edit.blocking.save()
            try expectEqual(try trial.find(Person.self, 1), ada.with { $0.age = 99 })
        },
        ConformanceCase(
            "undo.dropped", in: .undo, "what was dropped cannot be brought back, inside a savepoint neither"
        ) { trial in
            let edit = try context(trial)
            try edit.update(Person.self, 1) { $0.age = 1 }
            try edit.savepoint {
                try edit.update(Person.self, 2) { $0.age = 2 }
                edit.rollback()
            }
            try expect(!edit.canUndo && !edit.hasChanges, "something can be undone")
            try edit.update(Person.self, 1) { $0.age = 3 }
            try edit.savepoint { try edit.rollback(Person.self, 1) }
            try expectEqual(try people(edit), [ada, bo])
            try edit.undo()
            try expectEqual(try people(edit), [ada, bo])
        },
        ConformanceCase(
            "undo.disabled", in: .undo, "nothing is noted before it is asked for, nor while it is switched off"
        ) {
            trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            try edit.update(ada.with { $0.age = 1 })
            try expect(!edit.isUndoEnabled && !edit.canUndo, "a new context notes what can be undone")
            edit.isUndoEnabled = true
            try edit.update(ada.with { $0.age = 2 })
            try edit.disableUndo { try edit.update(bo.with { $0.age = 3 }) }
            try expect(edit.isUndoEnabled, "undo stays switched off")
            try expectEqual(try edit.undo(), true)
            try expectEqual(try people(edit).map(\.age), [1, 3])
            try expectEqual(try edit.undo(), false)
        },
        ConformanceCase(
            "undo.disabled-inside", in: .undo,
            "inside a savepoint, too, what is done while it is switched off is not noted"
        ) { trial in
            struct Stop: Error {}
            let edit = try context(trial)
            try edit.savepoint {
                try edit.update(ada.with { $0.age = 2 })
                try edit.disableUndo {
                    try edit.update(bo.with { $0.age = 3 })
                    do { try edit.savepoint { throw Stop() } } catch is Stop {}
                }
                _ = try? edit.savepoint {
                    try edit.disableUndo { try edit.insert(Person(id: 3, country: "NO")) }
                    throw Stop()
                }
                try edit.insert(Person(id: 4, country: "NO"))
            }
            try edit.disableUndo { try edit.savepoint { try edit.insert(Person(id: 5, country: "FI")) } }
            try expectEqual(try people(edit).map(\.age), [2, 3, nil, nil])
            try expectEqual(try edit.undo(), true)
            try expectEqual(try people(edit).map(\.id), [1, 2, 5])
            try expectEqual(try people(edit).map(\.age), [36, 3, nil])
            try expectEqual(try edit.undo(), false)
            edit.reset()
        },
        ConformanceCase(
            "undo.cascades", in: .undo, "a deletion comes back with what went along and lost its references"
        ) {
            trial in
            try trial.write { tx in
                _ = try tx.insert([ada, bo])
                _ = try tx.insert([Shelf(id: 1), Shelf(id: 2)])
                _ = try tx.insert([
                    Box(id: 1, shelf: Ref(1), spare: Ref(2), owner: Ref(1)), Box(id: 2, shelf: Ref(1), outer: Ref(1)),
                    Box(id: 3, shelf: Ref(1), spare: Ref(2)),
                ])
            }
            let edit = try trial.stack.makeContext()
            edit.isUndoEnabled = true
            let boxes = try edit.fetch(Box.all)
            try edit.delete(Person.self, 1)
            try expectEqual(try edit.fetch(Box.all).map(\.id), [3])
            try edit.delete(Shelf.self, 2)
            try expectEqual(try edit.fetch(Box.all).map(\.spare), [nil])
            try edit.undo()
            try expectEqual(try edit.fetch(Box.all), [boxes[2]])
            try edit.undo()
            try expectEqual(try edit.fetch(Box.all), boxes)
            try expectEqual(try people(edit), [ada, bo])
            try expect(!edit.hasChanges, "changes are left")
            try edit.redo()
            try edit.redo()
            try edit.blocking.save()
            try expectEqual(try trial.fetch(Box.all), [Box(id: 3, shelf: Ref(1))])
        },
        ConformanceCase("undo.groups", in: .undo, "groups nest, have names, and are undone as one") { trial in
            let edit = try context(trial)
            try edit.withUndoGroup(named: "Rename") {
                try edit.update(ada.with { $0.firstName = "Eve" })
                try edit.withUndoGroup(named: "inner") { try edit.update(bo.with { $0.firstName = "Bob" }) }
                try expectError(.undoGrouping) { try edit.undo() }
            }
            edit.beginUndoGroup()
            edit.beginUndoGroup(named: "Age")
            try edit.update(bo.with { ($0.firstName, $0.age) = ("Bob", 21) })
            try edit.endUndoGroup()
            try edit.endUndoGroup()
            try edit.withUndoGroup(named: "nothing") {}
            try expectEqual(edit.undoName, "Age")
            try edit.undo()
            try expectEqual([edit.undoName, edit.redoName], ["Rename", "Age"])
            try edit.undo()
            try expectEqual(try people(edit), [ada, bo])
            try expectEqual([edit.undoName, edit.redoName], [nil, "Rename"])
            try edit.redo()
            try expectEqual(try people(edit).map(\.firstName), ["Eve", "Bob"])
            try expectError(.undoGrouping) { try edit.endUndoGroup() }
            // Another change: what was undone cannot be done again.
            try edit.delete(Person.self, 2)
            try expect(!edit.canRedo && edit.redoName == nil, "a change leaves what could be redone")
        },
        ConformanceCase("undo.throwing-group", in: .undo, "a group that throws can be undone as far as it came") {
            trial in
            struct Stop: Error {}
            let edit = try context(trial)
            do {
                try edit.withUndoGroup {
                    try edit.update(ada.with { $0.age = 1 })
                    throw Stop()
                }
            } catch is Stop {}
            try expectEqual(try edit.find(Person.self, 1)?.age, 1)
            try edit.undo()
            try expectEqual(try people(edit), [ada, bo])
            // A call that fails leaves nothing to undo.
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                try edit.insert(Person(id: 9, email: "bo@x", country: "DK"))
            }
            try expect(!edit.canUndo, "a failed call can be undone")
            try expect(edit.canRedo, "a failed call has dropped what could be redone")
        },
        ConformanceCase(
            "undo.savepoint", in: .undo, "a savepoint is one call, and what it takes back is not in the history"
        ) {
            trial in
            struct Stop: Error {}
            let edit = try context(trial)
            try edit.savepoint {
                try edit.update(ada.with { $0.age = 1 })
                try edit.delete(Person.self, 2)
                try expectError(.undoGrouping) { try edit.undo() }
                do {
                    try edit.savepoint {
                        try edit.insert(Person(id: 3, country: "NO"))
                        throw Stop()
                    }
                } catch is Stop {}
            }
            do {
                try edit.savepoint {
                    try edit.delete(Person.self, 1)
                    throw Stop()
                }
            } catch is Stop {}
            try expectEqual(try people(edit), [ada.with { $0.age = 1 }])
            try expectEqual(try edit.undo(), true)
            try expectEqual(try people(edit), [ada, bo])
            try expectEqual(try edit.undo(), false)
        },
        ConformanceCase("undo.levels", in: .undo, "the oldest groups are forgotten beyond a number") { trial in
            let edit = try context(trial)
            for age in 1...5 { try edit.update(ada.with { $0.age = age }) }
            edit.undoLevels = 2
            try edit.update(ada.with { $0.age = 6 })
            try expectEqual(try edit.undo(), true)
            try expectEqual(try edit.undo(), true)
            try expectEqual(try edit.undo(), false)
            try expectEqual(try edit.find(Person.self, 1)?.age, 4)
            edit.removeAllUndo()
            try expectEqual(try edit.redo(), false)
        },
        ConformanceCase("undo.saved", in: .undo, "what was saved can be undone, as a change for the next save") {
            trial in
            let edit = try context(trial)
            try edit.update(ada.with { $0.age = 1 })
            try edit.delete(Person.self, 2)
            try edit.blocking.save()
            try trial.write { try $0.update(ada.with { ($0.age, $0.firstName) = (1, "Eve") }) }
            try edit.undo()
            try edit.undo()
            // What others have made of the rest stays.
            try expectEqual(try people(edit), [ada.with { $0.firstName = "Eve" }, bo])
            try edit.blocking.save()
            try expectEqual(try people(edit), [ada.with { $0.firstName = "Eve" }, bo])
            try edit.redo()
            try edit.redo()
            try edit.blocking.save()
            try expectEqual(try trial.fetch(Person.all), [ada.with { ($0.age, $0.firstName) = (1, "Eve") }])
        },
        ConformanceCase("undo.rolled-back", in: .undo, "a rollback is not undone: there is nothing left to undo") {
            trial in
            let edit = try context(trial)
            try edit.update(ada.with { $0.age = 1 })
            try edit.update(bo.with { $0.age = 1 })
            try edit.undo()
            edit.rollback()
            try expect(!edit.canUndo && !edit.canRedo, "something can be undone after a rollback")
            try expectEqual(try edit.undo(), false)
            try expectEqual(try people(edit), [ada, bo])
        },
        ConformanceCase("undo.refused", in: .undo, "an undo that others are in the way of does nothing, and stays") {
            trial in
            let edit = try context(trial)
            try edit.withUndoGroup {
                try edit.update(bo.with { $0.age = 1 })
                try edit.update(ada.with { $0.email = nil })
            }
            try trial.write { _ = try $0.insert(Person(id: 3, firstName: "Cy", country: "NO")) }
            try edit.blocking.save()
            try trial.write { try $0.update(Person(id: 3, firstName: "Cy", email: "ada@x", country: "NO")) }
            let before = try people(edit)
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) { try edit.undo() }
            try expectEqual(try people(edit), before)
            try expect(!edit.hasChanges && edit.canUndo && !edit.canRedo, "a refused undo has left something")
            try trial.write { try $0.update(Person(id: 3, firstName: "Cy", country: "NO")) }
            try edit.undo()
            try expectEqual(try people(edit).map(\.email), ["ada@x", "bo@x", nil])
            try expectEqual(try people(edit).map(\.age), [36, 20, nil])
        },
        ConformanceCase(
            "undo.gone", in: .undo, "a change of a record that is gone, or is referred to, cannot be undone"
        ) {
            trial in
            let edit = try context(trial)
            try edit.update(ada.with { $0.age = 1 })
            try edit.blocking.save()
            try trial.write { try $0.delete(Person.self, 1) }
            try expectError(.recordNotFound, entity: "Person") { try edit.undo() }
            edit.removeAllUndo()
            try edit.insert(Shelf(id: 1))
            try edit.blocking.save()
            try trial.write { try $0.insert(Box(id: 1, shelf: Ref(1))) }
            try expectError(
                .danglingReference, entity: "Box", attributes: ["shelf"],
                message: "A record of Shelf cannot be taken away again: Box.shelf refers to it. Change that first."
            ) { try edit.undo() }
            try expectEqual(try edit.count(Shelf.all), 1)
            try trial.write { try $0.delete(Box.self, 1) }
            try expectEqual(try edit.undo(), true)
            try expectEqual(try edit.count(Shelf.all), 0)
        },
        ConformanceCase(
            "undo.links", in: .undo,
            "where links that others have ended or made are in the way, undo names the relationship"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            try trial.write { try mix.tracks.add([tracks[1], tracks[2]], in: $0) }
            let edit = try trial.stack.makeContext()
            edit.isUndoEnabled = true
            try mix.tracks.move(from: 2, to: 0, in: edit)
            try edit.blocking.save()
            try trial.write { try mix.tracks.remove(tracks[2], in: $0) }
            try expectError(
                .recordNotFound, entity: "Mix", attributes: ["tracks"],
                message: "A record of Mix.tracks that undo would change is gone. It cannot be undone."
            ) { try edit.undo() }
            try expectTracks([1, 2], of: mix, in: edit)
            try expect(!edit.hasChanges && edit.canUndo, "a refused undo has left something")
            edit.removeAllUndo()
            // Another link gets the key of one that was ended.
            let links = try edit.schema.position(ofEntity: "Mix_tracks")
            let ended = try present(try edit.allRows()[links].first { $0[2] == .integer(2) })
            try mix.tracks.remove(tracks[1], in: edit)
            try edit.blocking.save()
            try trial.write { try $0.insert([ended[0], .integer(2), .integer(4), .integer(0)], into: links) }
            try expectError(
                .uniqueness, entity: "Mix", attributes: ["tracks"],
                message:
                    "Another record of Mix.tracks has the key of the one that undo would bring back. Delete that one first."
            ) { try edit.undo() }
            try expect(!edit.hasChanges && edit.canUndo, "a refused undo has left something")
            try trial.write { try Mix(id: 2).tracks.removeAll(in: $0) }
            try expectEqual(try edit.undo(), true)
            try expectTracks([1, 2], of: mix, in: edit)
        },
        ConformanceCase("undo.exchanged", in: .undo, "records that exchanged unique values go back together") { trial in
            let edit = try context(trial)
            try edit.withUndoGroup {
                try edit.update(ada.with { $0.email = nil })
                try edit.update(bo.with { $0.email = "ada@x" })
                try edit.update(ada.with { $0.email = "bo@x" })
            }
            try expectEqual(try people(edit).map(\.email), ["bo@x", "ada@x"])
            try edit.undo()
            try expectEqual(try people(edit), [ada, bo])
            try edit.redo()
            try edit.blocking.save()
            try expectEqual(try trial.fetch(Person.all).map(\.email), ["bo@x", "ada@x"])
        },
        ConformanceCase(
            "undo.led", in: .undo, "undo does not take back that references lead to the record that has a unique value"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            let parent = try trial.stack.makeContext()
            parent.mergePolicy = .storeWins
            let child = try parent.makeChild()
            child.isUndoEnabled = true
            try parent.insert(Person(id: 9, email: "x@x", country: "NO"))
            try child.insert(Box(id: 5, shelf: Ref(1), owner: Ref(9)))
            try trial.write { try $0.insert(Person(id: 3, email: "x@x", country: "SE")) }
            try parent.blocking.save()
            try expectEqual(try child.find(Box.self, 5)?.owner, Ref(3))
            try expectEqual(try child.undo(), true)
            try expectEqual(try child.find(Box.self, 5), nil)
            try expectEqual(try child.undo(), false)
        },
        ConformanceCase("undo.children", in: .undo, "what a child hands over is one group of its parent") { trial in
            let edit = try context(trial)
            let child = try edit.makeChild()
            child.isUndoEnabled = true
            try child.update(ada.with { $0.age = 1 })
            try child.delete(Person.self, 2)
            try child.undo()
            try child.insert(Person(id: 3, country: "NO"))
            try child.saveToParent()
            try expectEqual(try people(edit).map(\.id), [1, 2, 3])
            try expectEqual(try edit.undo(), true)
            try expectEqual(try people(edit), [ada, bo])
            try expectEqual(try edit.undo(), false)
            try expectEqual(try people(child), [ada, bo])
            try edit.redo()
            try expectEqual(try people(child).map(\.age), [1, 20, nil])
        },
    ]
}
