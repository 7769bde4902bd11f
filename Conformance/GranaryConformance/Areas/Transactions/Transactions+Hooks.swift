import ConformanceKit
import GranaryCore

var hooksCases: [ConformanceCase] {
    [
        ConformanceCase(
            "transactions.hooks", in: .transactions,
            "records are asked once at the end of a write, however they are written",
            requires: [.changeRecording]
        ) { trial in
            try trial.open(Schema(Parcel.self, ParcelNote.self))
            try trial.write { transaction in
                try transaction.insert(Parcel(id: 1, name: "  a", weight: 1))
                try transaction.update(Parcel.self, 1) { $0.weight = 2 }
                try transaction.insert(Parcel(id: 2, name: "gone"))
                try transaction.delete(Parcel.self, 2)
                var named = try DynamicRecord("Parcel", in: transaction.schema)
                try named.set("id", to: 3)
                try named.set("name", to: " b")
                try named.set("weight", to: 4)
                try named.set("saves", to: 0)
                try transaction.insert(named)
                // It is asked when the closure has returned.
                try expectEqual(try transaction.find(Parcel.self, 1)?.name, "  a")
            }
            try expectEqual(
                try trial.fetch(Parcel.all),
                [Parcel(id: 1, name: "a", weight: 2, saves: 1), Parcel(id: 3, name: "b", weight: 4, saves: 1)])
            try expectNotes(trial, ["inserted 1", "inserted 3"])
            try trial.write { transaction in
                try transaction.insert(Parcel(id: 4, name: "double", weight: 5, parent: Ref(1)))
                _ = try Parcel.where { $0.id == 3 }.updateAll(in: transaction) { $0.weight += 1 }
            }
            try expectEqual(try trial.fetch(Parcel.all).map(\.weight), [2, 5, 10])
            try expectEqual(try trial.fetch(Parcel.all).map(\.saves), [1, 2, 1])
            try expectNotes(trial, ["updated 3", "inserted 4"])
            // The parent of the record that has changed is changed by its hook, and asked after it.
            try trial.write { try $0.update(Parcel.self, 4) { $0.name = "c" } }
            try expectEqual(try trial.fetch(Parcel.all).map(\.weight), [3, 5, 10])
            try expectNotes(trial, ["updated 4", "updated 1"])
            // A cascade deletes the child.
            try trial.write { _ = try $0.delete(Parcel.self, 1) }
            try expectNotes(trial, ["deleted 1", "deleted 4"])
            // What changes nothing asks nothing.
            let before = try trial.fetch(Parcel.all)
            try trial.write { try $0.update(Parcel.self, 3) { _ in } }
            try expectEqual(try trial.fetch(Parcel.all), before)
            try expectNotes(trial, [])
        },
        ConformanceCase(
            "transactions.hooks-failing", in: .transactions,
            "a hook that throws rolls the write back",
            requires: [.changeRecording]
        ) { trial in
            try trial.open(Schema(Parcel.self, ParcelNote.self))
            try trial.write { try $0.insert(Parcel(id: 1, name: "a")) }
            try expectNotes(trial, ["inserted 1"])
            func refused(_ code: GranaryError.Code, _ parcel: Parcel) throws {
                try expectError(code) { try trial.write { try $0.insert(parcel) } }
            }
            try refused(.invalidRecord, Parcel(id: 2, name: "fail"))
            try refused(.invalidRecord, Parcel(id: 2, name: "double", weight: 500))
            try refused(.invalidQuery, Parcel(id: 2, name: "rename"))
            try refused(.limit, Parcel(id: 2, name: "endless"))
            try expectEqual(try trial.fetch(Parcel.all).map(\.id), [1])
            try expectNotes(trial, [])
            try trial.write { try $0.insert(Parcel(id: 10, name: "chain")) }
            try expectEqual(try trial.fetch(Parcel.all).count, 96)
        },
        ConformanceCase(
            "transactions.hooks-context", in: .transactions,
            "the hooks of what a context has changed run when it is saved",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            let stack = try trial.open(Schema(Parcel.self, ParcelNote.self))
            let context = try stack.makeContext()
            try context.insert(Parcel(id: 1, name: " a", weight: 1))
            try context.update(Parcel.self, 1) { $0.weight = 7 }
            try expectEqual(try context.find(Parcel.self, 1)?.name, " a")
            try expectEqual(try context.count(ParcelNote.all), 0)
            try context.blocking.save()
            try expectEqual(try context.find(Parcel.self, 1), Parcel(id: 1, name: "a", weight: 7, saves: 1))
            try expect(!context.hasChanges, "the save left changes")
            try expectNotes(trial, ["inserted 1"])
            try context.update(Parcel.self, 1) { $0.name = "fail" }
            try expectError(.invalidRecord) { try context.blocking.save() }
            try expectEqual(try context.find(Parcel.self, 1)?.name, "fail")
            try context.update(Parcel.self, 1) { $0.name = "b" }
            let child = try context.makeChild()
            try child.update(Parcel.self, 1) { $0.weight = 8 }
            try child.saveToParent()
            try expectNotes(trial, [])
            try context.blocking.save()
            try expectEqual(try trial.find(Parcel.self, 1), Parcel(id: 1, name: "b", weight: 8, saves: 2))
            try expectNotes(trial, ["updated 1"])
        },
    ]
}

/// Fails unless the hooks have left these notes, which it deletes.
private func expectNotes(_ trial: Trial, _ texts: [String], line: Int = #line) throws {
    try expectEqual(try trial.fetch(ParcelNote.all).map(\.text), texts, line: line)
    try trial.write { _ = try ParcelNote.all.deleteAll(in: $0) }
}
