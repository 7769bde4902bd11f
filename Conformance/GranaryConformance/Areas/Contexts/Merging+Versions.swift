import ConformanceKit
import GranaryCore

private let first = Draft(id: 1, title: "one", version: 7)

private func opened(_ trial: Trial) throws -> Stack {
    let stack = try trial.open(Schema(Draft.self))
    try stack.blocking.write { _ = try $0.insert([first, Draft(id: 2, title: "two")]) }
    return stack
}

extension Draft {
    fileprivate func with(_ change: (inout Draft) -> Void) -> Draft {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Stack {
    fileprivate func draft(_ key: Int64 = 1) throws -> Draft? { try blocking.read { try $0.find(Draft.self, key) } }
}

var versionsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.version-raised", in: .merging, "each change of a record in the store raises its version by one"
        ) { trial in
            let stack = try opened(trial)
            try expectEqual(try stack.draft(), first, "an insertion keeps the version given")
            try stack.blocking.write { transaction in
                let changed = try transaction.update(Draft.self, 1) { $0.title = "b" }
                try expectEqual(changed.version, 8)
                try transaction.update(Draft(id: 1, title: "c", version: 8))
                let upserted = try transaction.upsert(Draft(id: 1, title: "d", version: 9))
                try expectEqual(upserted.version, 10)
                // No change.
                try transaction.update(Draft(id: 1, title: "d", version: 10))
                _ = try Draft.all.updateAll(in: transaction) { $0.set(\.title, to: "e") }
                _ = try Draft.where { $0.id == 1 }.updateAll(in: transaction) { $0.add(\.reads, 5) }
                try expectEqual(
                    try transaction.update(
                        Draft(id: 1, title: "f", reads: 5, version: 12),
                        from: Draft(id: 1, title: "e", reads: 5, version: 12)
                    )?.version, 13)
                try expectEqual(
                    try transaction.upsert([Draft(id: 2, title: "f", version: 1), Draft(id: 3, version: 30)]).map(
                        \.version),
                    [2, 30])
                var dynamic = try present(try transaction.find("Draft", 3 as Int64))
                try dynamic.set("title", to: "by name")
                try expectEqual(try transaction.upsert(dynamic)["version"], .integer(31))
            }
            let context = try stack.makeContext()
            try context.update(Draft.self, 1) { $0.title = "g" }
            try context.update(Draft.self, 1) { $0.reads = 6 }
            try expectEqual(try context.find(Draft.self, 1)?.version, 13, "a context keeps the version that was read")
            try context.blocking.save()
            try expectEqual(try stack.draft(), Draft(id: 1, title: "g", reads: 6, version: 14))
            try context.update(Draft.self, 1) { $0.title = "h" }
            try context.blocking.save()
            try expectEqual(try stack.draft()?.version, 15)
            try expectEqual(try stack.draft(2)?.version, 2)
        },
        ConformanceCase(
            "merging.version-compared", in: .merging, "a record of another version than the stored one is not written"
        ) { trial in
            let stack = try opened(trial)
            let stale = Draft(id: 1, title: "x", version: 6)
            let context = try stack.makeContext()
            func expectRefused(_ writer: Context) throws {
                try expectError(.mergeConflict, entity: "Draft", attributes: ["version"]) { try writer.update(stale) }
                try expectError(.mergeConflict, entity: "Draft", attributes: ["version"]) { try writer.upsert(stale) }
                try expectError(.mergeConflict, entity: "Draft", attributes: ["version"]) {
                    try writer.update(Draft.self, 1) { $0.version += 1 }
                }
                try expectError(.invalidQuery, entity: "Draft", attributes: ["version"]) {
                    try Draft.all.updateAll(in: writer) { $0.set(\.version, to: 7) }
                }
                try expectEqual(try writer.find(Draft.self, 1), first)
            }
            try expectRefused(context)
            try stack.blocking.write { try expectRefused($0) }
            try stack.blocking.write { transaction in
                try transaction.update(first.with { $0.title = "y" })
                try expectError(.mergeConflict) { try transaction.update(first.with { $0.title = "z" }) }
            }
            try expectEqual(try stack.draft(), Draft(id: 1, title: "y", version: 8))
        },
        ConformanceCase(
            "merging.version-conflict", in: .merging,
            "changes of different attributes are a conflict where the version was raised since, and go by the policy"
        ) { trial in
            let stack = try opened(trial)
            let outcomes: [(MergePolicy, Draft)] = [
                (.storeWins, Draft(id: 1, title: "here", reads: 1, version: 9)),
                (.contextWins, Draft(id: 1, title: "here", reads: 1, version: 9)),
                (.overwrite, Draft(id: 1, title: "here", version: 9)),
                (.rollBack, Draft(id: 1, title: "one", reads: 1, version: 8)),
                (
                    .resolving { conflict in
                        guard var record = conflict.context else { return .fail }
                        try record.set("title", to: "asked")
                        return .replace(record)
                    }, Draft(id: 1, title: "asked", version: 9)
                ),
            ]
            for (policy, outcome) in outcomes {
                try stack.blocking.write {
                    _ = try Draft.all.deleteAll(in: $0)
                    _ = try $0.insert(first)
                }
                let context = try stack.makeContext()
                try context.update(Draft.self, 1) { $0.title = "here" }
                try stack.blocking.write { _ = try $0.update(Draft.self, 1) { $0.reads = 1 } }
                let error = try expectError(.mergeConflict) { try context.blocking.save() }
                try expectEqual(error.conflicts.map(\.attributes), [["version"]])
                context.mergePolicy = policy
                try expectEqual(try context.blocking.save().conflicts.count, 1)
                try expectEqual(try stack.draft(), outcome, "under \(policy)")
            }
            // The same without a context.
            try stack.blocking.write {
                _ = try Draft.all.deleteAll(in: $0)
                _ = try $0.insert(first)
                _ = try $0.update(Draft.self, 1) { $0.reads = 1 }
            }
            let mine = first.with { $0.title = "mine" }
            try stack.blocking.write { transaction in
                try expectError(.mergeConflict) { try transaction.update(mine, from: first) }
                try expectEqual(
                    try transaction.update(mine, from: first, mergePolicy: .contextWins),
                    Draft(id: 1, title: "mine", reads: 1, version: 9))
            }
        },
        ConformanceCase(
            "merging.version-refresh", in: .merging,
            "a refreshed record is of the newest version, also one that is overwritten"
        ) { trial in
            let stack = try opened(trial)
            let context = try stack.makeContext()
            try context.update(Draft.self, 1) { $0.title = "here" }
            try stack.blocking.write { _ = try $0.update(Draft.self, 1) { $0.reads = 1 } }
            try expectError(.mergeConflict) { try context.refresh() }
            try expectEqual(try context.refresh(mergePolicy: .overwrite).count, 1)
            try expectEqual(try context.find(Draft.self, 1), Draft(id: 1, title: "here", version: 8))
            try context.update(Draft.self, 1) { $0.title = "still" }
            try expectEqual(try context.blocking.save().conflicts.count, 0)
            try expectEqual(try stack.draft(), Draft(id: 1, title: "still", version: 9))
        },
        ConformanceCase(
            "merging.version-additions", in: .merging, "what is only added to is no conflict, and raises the version"
        ) { trial in
            let stack = try opened(trial)
            let (one, two) = (try stack.makeContext(), try stack.makeContext())
            for context in [one, two] { _ = try Draft.all.updateAll(in: context) { $0.add(\.reads, 1) } }
            let reader = try stack.makeContext()
            try reader.update(Draft.self, 2) { $0.title = "read" }
            try one.blocking.save()
            try two.blocking.save()
            try expectEqual(try stack.draft(), Draft(id: 1, title: "one", reads: 2, version: 9))
            let error = try expectError(.mergeConflict) { try reader.blocking.save() }
            try expectEqual(error.conflicts.map(\.attributes), [["version"]])
        },
        ConformanceCase(
            "merging.version-child", in: .merging,
            "a child's changes of its parent's record raise the version once, at the save"
        ) { trial in
            let stack = try opened(trial)
            let parent = try stack.makeContext()
            let child = try parent.makeChild()
            try child.update(Draft.self, 1) { $0.title = "child" }
            try parent.update(Draft.self, 1) { $0.reads = 3 }
            try child.saveToParent()
            try expectEqual(try parent.find(Draft.self, 1), Draft(id: 1, title: "child", reads: 3, version: 7))
            try child.update(Draft.self, 1) { $0.title = "again" }
            try child.blocking.save()
            try expectEqual(try stack.draft(), Draft(id: 1, title: "again", reads: 3, version: 8))
        },
        ConformanceCase(
            "merging.version-undo", in: .merging, "undo after a save is a change of the newest version"
        ) { trial in
            let stack = try opened(trial)
            let context = try stack.makeContext()
            context.isUndoEnabled = true
            try context.update(Draft.self, 1) { $0.title = "new" }
            try context.blocking.save()
            try context.undo()
            try context.blocking.save()
            try expectEqual(try stack.draft(), Draft(id: 1, title: "one", version: 9))
        },
        ConformanceCase(
            "merging.version-delete-rules", in: .merging, "delete rules raise no version; a link that is changed does"
        ) { trial in
            let stack = try opened(trial)
            try stack.blocking.write { _ = try $0.update(Draft.self, 1) { $0.parent = Ref(2) } }
            try stack.blocking.write { _ = try $0.delete(Draft.self, 2) }
            try expectEqual(try stack.draft(), Draft(id: 1, title: "one", version: 8))
        },
        ConformanceCase(
            "merging.resolved-by-other", in: .merging,
            "a conflict that is resolved by another record fails the save, and nothing is saved"
        ) { trial in
            let stack = try opened(trial)
            let other = try present(try stack.blocking.read { try $0.find("Draft", 2 as Int64) })
            let context = try stack.makeContext()
            context.mergePolicy = .resolving { _ in .replace(other) }
            try context.update(Draft.self, 1) { $0.title = "here" }
            try stack.blocking.write { _ = try $0.update(Draft.self, 1) { $0.title = "there" } }
            try expectError(.invalidQuery, entity: "Draft", attributes: ["id"]) { try context.blocking.save() }
            try expectEqual(try stack.draft()?.title, "there")
            try expectEqual(try context.find(Draft.self, 1)?.title, "here")
        },
        ConformanceCase(
            "merging.version-saving", in: .merging,
            "a record that is changed while it is saved is changed from the version that the save gives it"
        ) { trial in
            let stack = try opened(trial)
            try await Author(stack).changeWhileSaving()
            try expectEqual(try stack.draft(), Draft(id: 1, title: "two", reads: 5, version: 9))
        },
        ConformanceCase(
            "merging.version-overflow", in: .merging, "a record with the greatest version cannot be changed any more"
        ) { trial in
            let stack = try opened(trial)
            try stack.blocking.write { transaction in
                _ = try transaction.insert(Draft(id: 4, version: .max))
                try expectError(.overflow, entity: "Draft", attributes: ["version"]) {
                    try transaction.update(Draft.self, 4) { $0.title = "x" }
                }
                try expectError(.overflow, entity: "Draft", attributes: ["version"]) {
                    try Draft.all.updateAll(in: transaction) { $0.set(\.title, to: "x") }
                }
                try expectEqual(try transaction.find(Draft.self, 1), first)
            }
        },
        ConformanceCase("merging.version-schema", in: .merging, "a schema knows its versions, and refuses what is none")
        {
            _ in
            let schema = Schema(Draft.self)
            try expectEqual(try Schema(json: schema.json()).entities[0].version, "version")
            var without = schema.entities
            without[0].version = nil
            try expect(
                Schema(entities: without).fingerprint != schema.fingerprint, "the fingerprint overlooks a version")
            for name in ["id", "title", "parent", "nothing"] {
                var entities = schema.entities
                entities[0].version = name
                try expectError(.invalidSchema, entity: "Draft") { try Schema(entities: entities).validate() }
            }
        },
    ]
}

/// A context on an actor of its own.
private actor Author {
    private let stack: Stack
    private let context: EditContext
    private var isSaving = false

    init(_ stack: Stack) throws {
        self.stack = stack
        context = try stack.makeContext(named: "author")
    }

    func changeWhileSaving() async throws {
        try context.update(Draft.self, 1) { $0.title = "two" }
        // The save waits behind this write until the context has been changed again.
        let (stack, gate, begun) = (stack, Gate(), Event("the write's begin"))
        let writing = Task {
            try await stack.write { _ in
                begun.set()
                gate.wait()
            }
        }
        defer { gate.open() }
        try await begun.happened()
        async let first = save()
        while !isSaving { await Task.yield() }
        try context.update(Draft.self, 1) { $0.reads = 5 }
        gate.open()
        try await writing.value
        _ = try await first
        try expectEqual(try context.find(Draft.self, 1)?.version, 8)
        let second = try await save()
        try expectEqual(second.conflicts.count, 0)
    }

    private func save() async throws -> SaveResult {
        isSaving = true
        return try await context.save()
    }
}
