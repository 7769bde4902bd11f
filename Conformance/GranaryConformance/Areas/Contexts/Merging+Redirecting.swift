import ConformanceKit
import GranaryCore

var mergingRedirectingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.led", in: .merging,
            "what refers to a new record that is given up for its unique value refers to the one that has it"
        ) { trial in
            for policy in [MergePolicy.storeWins, .rollBack] {
                for isChild in [false, true] {
                    try fill(trial)
                    let parent = try trial.stack.makeContext()
                    let context = try isChild ? parent.makeChild() : parent
                    context.mergePolicy = policy
                    let found = try Person.where { $0.email == "x@x" }.findOrCreate(in: context) {
                        Person(id: 9, email: "x@x", country: "NO")
                    }
                    try context.insert(Box(id: 5, shelf: Ref(1), owner: Ref(found)))
                    try context.update(Box(id: 1, shelf: Ref(2), owner: Ref(found)))
                    try trial.stack.blocking.write { _ = try $0.insert(Person(id: 3, email: "x@x", country: "SE")) }
                    let result = try context.blocking.save()
                    try expectEqual(result.conflicts.map(\.kind), [.uniqueness])
                    try expectEqual(result.conflicts.map(\.holder?.key), [.integer(3)])
                    try expectEqual([result.inserted, result.updated], [1, 1])
                    let boxes = try trial.stack.blocking.read { try $0.fetch(Box.all) }
                    try expectEqual(
                        boxes, [Box(id: 1, shelf: Ref(2), owner: Ref(3)), Box(id: 5, shelf: Ref(1), owner: Ref(3))])
                    try expect(!context.hasChanges && !parent.hasChanges, "changes are left")
                }
            }
        },
        ConformanceCase(
            "merging.target-deleted", in: .merging, "an optional reference to what was deleted elsewhere becomes nil"
        ) { trial in
            for policy in [
                MergePolicy.error, .storeWins, .contextWins, .overwrite, .rollBack, .resolving { _ in .fail },
            ] {
                try fill(trial)
                let context = try trial.stack.makeContext()
                context.mergePolicy = policy
                try context.insert(Box(id: 5, shelf: Ref(1), spare: Ref(3)))
                try context.update(Box(id: 1, shelf: Ref(2), spare: Ref(3)))
                try trial.stack.blocking.write { _ = try $0.delete(Shelf.self, 3) }
                let result = try context.blocking.save()
                try expectEqual(result.conflicts.map(\.kind), [.targetDeleted, .targetDeleted])
                try expectEqual(result.conflicts.map(\.attributes), [["spare"], ["spare"]])
                let boxes = try trial.stack.blocking.read { try $0.fetch(Box.all) }
                try expectEqual(boxes, [Box(id: 1, shelf: Ref(2)), Box(id: 5, shelf: Ref(1))], "under \(policy)")
            }
        },
        ConformanceCase(
            "merging.required-deleted", in: .merging,
            "a required reference to what was deleted elsewhere is a conflict that goes by the policy"
        ) { trial in
            let elsewhere = MergePolicy.resolving { conflict in
                guard conflict.kind == .targetDeleted, var record = conflict.merged else { return .fail }
                try record.set("shelf", to: Int64(2))
                return .replace(record)
            }
            for (policy, outcome) in [
                (.error, nil), (.contextWins, nil), (.overwrite, nil),
                (.storeWins, [Box(id: 1, shelf: Ref(1), loose: Ref(9)), Box(id: 6, shelf: Ref(1))]),
                (.rollBack, [Box(id: 1, shelf: Ref(1)), Box(id: 6, shelf: Ref(1))]),
                (
                    elsewhere,
                    [
                        Box(id: 1, shelf: Ref(2), loose: Ref(9)), Box(id: 5, shelf: Ref(2)),
                        Box(id: 6, shelf: Ref(1), outer: Ref(5)),
                    ]
                ),
            ] as [(MergePolicy, [Box]?)] {
                try fill(trial)
                let context = try trial.stack.makeContext()
                context.mergePolicy = policy
                try context.update(Box(id: 1, shelf: Ref(3), loose: Ref(9)))
                try context.insert(Box(id: 5, shelf: Ref(3)))
                // What refers to a record that is not written loses that.
                try context.insert(Box(id: 6, shelf: Ref(1), outer: Ref(5)))
                try trial.stack.blocking.write { _ = try $0.delete(Shelf.self, 3) }
                guard let outcome else {
                    let error = try expectError(.mergeConflict, entity: "Box", attributes: ["shelf"]) {
                        try context.blocking.save()
                    }
                    try expectEqual(error.conflicts.map(\.kind), [.targetDeleted, .targetDeleted])
                    try expectEqual(error.conflicts.map(\.key), [.integer(1), .integer(5)])
                    try expect(context.hasChanges, "a failed save has dropped the changes")
                    context.rollback()
                    continue
                }
                let result = try context.blocking.save()
                try expectEqual(Set(result.conflicts.map(\.kind)), [.targetDeleted])
                try expectEqual(try trial.stack.blocking.read { try $0.fetch(Box.all) }, outcome, "under \(policy)")
            }
        },
        ConformanceCase(
            "merging.led-child", in: .merging,
            "what a child refers to with a new record of its parent is led, too, if the parent's save gave the record up"
        ) { trial in
            for toParent in [false, true] {
                try fill(trial)
                let parent = try trial.stack.makeContext()
                parent.mergePolicy = .storeWins
                let child = try parent.makeChild()
                let grandchild = try child.makeChild()
                try parent.insert(Person(id: 9, email: "x@x", country: "NO"))
                try child.insert(Box(id: 5, shelf: Ref(1), owner: Ref(9)))
                try grandchild.update(Box(id: 1, shelf: Ref(2), owner: Ref(9)))
                try grandchild.insert(Person(id: 8, country: "DK"))
                try grandchild.insert(Box(id: 6, shelf: Ref(1), owner: Ref(8)))
                try trial.stack.blocking.write { _ = try $0.insert(Person(id: 3, email: "x@x", country: "SE")) }
                try expectEqual(try parent.blocking.save().conflicts.map(\.holder?.key), [.integer(3)])
                if toParent {
                    try grandchild.saveToParent()
                    try child.saveToParent()
                    try expectEqual(try parent.find(Box.self, 5)?.owner, Ref(3))
                    try parent.blocking.save()
                } else {
                    try expectEqual(try grandchild.blocking.save().conflicts.count, 0)
                }
                try expectEqual(
                    try trial.stack.blocking.read { try $0.fetch(Box.all) },
                    [
                        Box(id: 1, shelf: Ref(2), owner: Ref(3)), Box(id: 5, shelf: Ref(1), owner: Ref(3)),
                        Box(id: 6, shelf: Ref(1), owner: Ref(8)),
                    ])
                // Another record that is made with that key later has no successor, deleted or not.
                try parent.insert(Person(id: 9, country: "FI"))
                try child.update(Box(id: 1, shelf: Ref(2), owner: Ref(9)))
                try child.update(Box(id: 5, shelf: Ref(2), owner: Ref(9)))
                if toParent { try parent.delete(Person.self, 9) }
                try child.blocking.save()
                let owners = try trial.stack.blocking.read { try $0.fetch(Box.all.limit(2)).map(\.owner) }
                try expectEqual(owners, toParent ? [nil, nil] : [Ref(9), Ref(9)])
            }
        },
        ConformanceCase(
            "merging.led-worker", in: .merging,
            "what a worker refers to with a new record is led, too, if a save gave the record up while it worked"
        ) { trial in
            try fill(trial)
            let finder = try Finder(trial.stack)
            let (begun, saved) = (Event("the work's begin"), Event("the save"))
            let work = Task { try await finder.work(begun, until: saved) }
            try await begun.happened()
            try await trial.stack.write { _ = try $0.insert(Person(id: 3, email: "x@x", country: "SE")) }
            let first = try await finder.save()
            try expectEqual(first.conflicts.map(\.holder?.key), [.integer(3)])
            saved.set()
            try await work.value
            let second = try await finder.save()
            try expectEqual(second.conflicts.count, 0)
            try expectEqual(try trial.find(Box.self, 5), Box(id: 5, shelf: Ref(1), owner: Ref(3)))
        },
        ConformanceCase(
            "merging.replaced-by-gone", in: .merging,
            "a closure that answers with one deleted record after the other is a conflict, and is asked once"
        ) { trial in
            try fill(trial)
            let asked = ReadCounter()
            let context = try trial.stack.makeContext()
            context.mergePolicy = .resolving { conflict in
                guard conflict.kind == .targetDeleted, var record = conflict.merged else { return .fail }
                asked.add()
                try record.set("shelf", to: record["shelf"] == .integer(3) ? Int64(2) : Int64(3))
                return .replace(record)
            }
            try context.update(Box(id: 1, shelf: Ref(3)))
            try trial.stack.blocking.write {
                try $0.delete(Shelf.self, 3)
                try $0.delete(Shelf.self, 2)
            }
            let error = try expectError(.mergeConflict, entity: "Box", attributes: ["shelf"]) {
                try context.blocking.save()
            }
            try expectEqual(error.conflicts.map(\.kind), [.targetDeleted])
            try expectEqual(asked.take(), 1)
            try expect(context.hasChanges, "a failed save has dropped the changes")
        },
        ConformanceCase(
            "merging.led-loose", in: .merging,
            "a reference that may dangle is led to the record that has the unique value, too"
        ) { trial in
            let stack = try trial.open(sheets)
            try stack.blocking.write { _ = try $0.insert(place(1, "here")) }
            let context = try stack.makeContext()
            context.mergePolicy = .storeWins
            try context.insert(place(9, "there"))
            try context.insert(sheet(5, at: 1, hint: 9))
            try stack.blocking.write { _ = try $0.insert(place(2, "there")) }
            try expectEqual(try context.blocking.save().conflicts.map(\.kind), [.uniqueness])
            let stored = try present(try stack.blocking.read { try $0.find("Sheet", 5 as Int64) })
            try expectEqual(stored["hint"], .integer(2))
        },
        ConformanceCase(
            "merging.required-deleted-version", in: .merging,
            "what a policy makes of a reference to what was deleted raises the version once, if it changes anything"
        ) { trial in
            let stack = try trial.open(sheets)
            func saved(_ policy: MergePolicy, hint: Int64?) throws -> [StoredValue?] {
                try stack.blocking.write { tx in
                    _ = try Request("Sheet").deleteAll(in: tx)
                    _ = try Request("Place").deleteAll(in: tx)
                    for key in 1...3 { _ = try tx.insert(place(Int64(key), "\(key)")) }
                    _ = try tx.insert(sheet(5, at: 2))
                }
                let context = try stack.makeContext()
                context.mergePolicy = policy
                try context.update(sheet(5, at: 3, hint: hint))
                try stack.blocking.write { _ = try $0.delete("Place", 3 as Int64) }
                try expectEqual(try context.blocking.save().conflicts.map(\.kind), [.targetDeleted])
                let stored = try present(try stack.blocking.read { try $0.find("Sheet", 5 as Int64) })
                return ["place", "hint", "version"].map { stored[$0] }
            }
            let elsewhere = MergePolicy.resolving { conflict in
                guard conflict.kind == .targetDeleted, var record = conflict.merged else { return .fail }
                try record.set("place", to: Int64(1))
                return .replace(record)
            }
            try expectEqual(try saved(elsewhere, hint: 7), [.integer(1), .integer(7), .integer(1)])
            try expectEqual(try saved(.storeWins, hint: 7), [.integer(2), .integer(7), .integer(1)])
            try expectEqual(try saved(.storeWins, hint: nil), [.integer(2), .null, .integer(0)])
            try expectEqual(try saved(.rollBack, hint: 7), [.integer(2), .null, .integer(0)])
        },
        ConformanceCase(
            "merging.target-deleted-in-parent", in: .merging,
            "a child's reference to what its parent deleted becomes nil"
        ) { trial in
            try fill(trial)
            let parent = try trial.stack.makeContext()
            let child = try parent.makeChild()
            try child.update(Box(id: 1, shelf: Ref(2), spare: Ref(3)))
            try parent.delete(Shelf.self, 3)
            try expectEqual((try child.saveToParent()).conflicts.map(\.kind), [.targetDeleted])
            try parent.blocking.save()
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(2))])
        },
        ConformanceCase(
            "merging.target-cascaded", in: .merging,
            "an optional reference to what a cascade takes along, as others have moved it there, becomes nil"
        ) { trial in
            for (name, policy) in everyPolicy {
                for isRefreshed in [false, true] {
                    try fill(trial)
                    try trial.write { tx in
                        try tx.insert(Person(id: 1, country: "NO"))
                        try tx.insert(Box(id: 5, shelf: Ref(1)))
                    }
                    let context = try trial.stack.makeContext()
                    context.mergePolicy = policy
                    try context.delete(Person.self, 1)
                    try context.insert(Box(id: 6, shelf: Ref(1), outer: Ref(5)))
                    try context.update(Box(id: 1, shelf: Ref(2), outer: Ref(5)))
                    try trial.write { try $0.update(Box(id: 5, shelf: Ref(1), owner: Ref(1))) }
                    if isRefreshed { try expectEqual(try context.refresh().count, 0, name) }
                    let result = try context.blocking.save()
                    try expectEqual(result.conflicts.map(\.kind), [.targetDeleted, .targetDeleted], name)
                    try expectEqual(result.conflicts.map(\.key), [.integer(1), .integer(6)], name)
                    try expectEqual(result.conflicts.map(\.attributes), [["outer"], ["outer"]], name)
                    let boxes = try trial.stack.blocking.read { try $0.fetch(Box.all) }
                    try expectEqual(boxes, [Box(id: 1, shelf: Ref(2)), Box(id: 6, shelf: Ref(1))], name)
                }
            }
        },
        ConformanceCase(
            "merging.required-cascaded", in: .merging,
            "a required reference to what a cascade takes along, as others have moved it there, goes by the policy"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let elsewhere = MergePolicy.resolving { conflict in
                guard conflict.kind == .targetDeleted, var record = conflict.merged else { return .fail }
                try record.set("card", to: Int64(2))
                return .replace(record)
            }
            for (policy, outcome) in [
                (.error, nil), (.contextWins, nil), (.overwrite, nil), (.storeWins, ["a"]), (.rollBack, ["a"]),
                (elsewhere, ["a", "b"]),
            ] as [(MergePolicy, [String]?)] {
                try trial.write { tx in
                    try Step.deleteAll(in: tx)
                    try Card.deleteAll(in: tx)
                    try tx.upsert(Board(id: 1))
                    try tx.insert([Card(id: 2), Card(id: 5)])
                    try tx.insert(Step(id: "a", card: Ref(2)))
                }
                let context = try trial.stack.makeContext()
                context.mergePolicy = policy
                try context.delete(Board.self, 1)
                try context.update(Step(id: "a", card: Ref(5)))
                try context.insert(Step(id: "b", card: Ref(5)))
                try trial.write { try $0.update(Card(id: 5, archive: Ref(1))) }
                guard let outcome else {
                    let error = try expectError(.mergeConflict, entity: "Step", attributes: ["card"]) {
                        try context.blocking.save()
                    }
                    try expectEqual(error.conflicts.map(\.kind), [.targetDeleted, .targetDeleted])
                    try expectEqual(error.conflicts.map(\.key), [.string("a"), .string("b")])
                    context.rollback()
                    continue
                }
                let result = try context.blocking.save()
                try expectEqual(Set(result.conflicts.map(\.kind)), [.targetDeleted])
                try expectEqual(result.cascadedDeletions, [CascadedDeletion(entity: "Card", key: .integer(5))])
                try expectEqual(
                    try trial.fetch(Step.all), outcome.map { Step(id: $0, card: Ref(2)) }, "under \(policy)")
                try expectEqual(try trial.keys(Card.all), [2])
            }
        },
    ]
}

/// A context with a new person, on an actor of its own.
private actor Finder {
    private let context: EditContext

    init(_ stack: Stack) throws {
        context = try stack.makeContext()
        context.mergePolicy = .storeWins
        try context.insert(Person(id: 9, email: "x@x", country: "NO"))
    }

    func save() async throws -> SaveResult { try await context.save() }

    /// Makes a box of the person's, and waits.
    func work(_ begun: Event, until saved: Event) async throws {
        try await context.performInWorker { worker in
            try worker.insert(Box(id: 5, shelf: Ref(1), owner: Ref(9)))
            begun.set()
            try saved.wait()
        }
    }
}

/// Three shelves, and a box on the first.
private func fill(_ trial: Trial) throws {
    try trial.stack.blocking.write { tx in
        try Box.deleteAll(in: tx)
        try Shelf.deleteAll(in: tx)
        try Person.deleteAll(in: tx)
        try tx.insert([Shelf(id: 1), Shelf(id: 2), Shelf(id: 3)])
        _ = try tx.insert(Box(id: 1, shelf: Ref(1)))
    }
}

/// Sheets with a version. Each is at a place, and may name another that need not exist.
private let sheets = Schema(entities: [
    Entity(
        "Place", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)],
        indexes: [.unique("name")]),
    Entity(
        "Sheet", key: "id", version: "version",
        attributes: [
            Attribute("id", .int64),
            Attribute("place", .int64, reference: .init(entity: "Place", onDelete: .deny)),
            Attribute("hint", .int64, isOptional: true, reference: .init(entity: "Place", onDelete: .noAction)),
            Attribute("version", .int64),
        ]),
])

private func place(_ key: Int64, _ name: String) throws -> DynamicRecord {
    var record = try DynamicRecord("Place", in: sheets)
    try record.set("id", to: key)
    try record.set("name", to: name)
    return record
}

private func sheet(_ key: Int64, at place: Int64, hint: Int64? = nil) throws -> DynamicRecord {
    var record = try DynamicRecord("Sheet", in: sheets)
    try record.set("id", to: key)
    try record.set("place", to: place)
    try record.set("hint", toStored: hint.map { StoredValue.integer($0) } ?? .null)
    try record.set("version", to: Int64(0))
    return record
}
