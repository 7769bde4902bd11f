import ConformanceKit
import GranaryCore

var changeSetsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "history.kinds", in: .history,
            "a change set names what was inserted, updated and deleted, with the attributes",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            try trial.insert([Person(id: 1, number: 1), Person(id: 2, number: 2)])
            let following = Following(try trial.stack.changes, on: trial)
            try trial.write { tx in
                try tx.insert(Person(id: 3, number: 3))
                try tx.update(Person(id: 1, lastName: "b", age: 7, number: 1))
                try tx.delete(Person.self, 2)
            }
            let changes = try following.wait("the change set") { $0.count == 1 }[0]
            try expectEqual(changes.entityNames, ["Person"])
            try expectEqual(try changes.inserted(Person.self), [3])
            try expectEqual(try changes.updated(Person.self)?.map(\.key), [1])
            try expectEqual(try changes.updated(Person.self)?.first?.attributes, ["lastName", "age"])
            try expectEqual(try changes.deleted(Person.self), [2])
            try expectEqual(try changes.inserted(Shelf.self), [])
            try expect(try changes.concerns(Person.self) && !changes.concerns(Shelf.self), "it concerns Person alone")
        },
        ConformanceCase(
            "history.first-commit", in: .history, "the first commit of a new store is told, too", modes: [.fresh]
        ) { trial in
            let following = Following(try trial.stack.changes, on: trial)
            try trial.insert([Shelf(id: 1)])
            let number = try trial.stack.blocking.read { $0.transactionNumber }
            try expectEqual(
                try following.wait("the change set") { !$0.isEmpty }.map(\.transactionNumber), [number])
        },
        ConformanceCase(
            "history.text-keys", in: .history, "keys of every type come out as they went in",
            requires: [.history, .changeRecording],
            modes: [.fresh]
        ) { trial in
            let following = Following(try trial.stack.changes, on: trial)
            let ticket = Ticket(id: .timeOrdered(), label: "a")
            try trial.insert([ticket])
            try trial.insert([Note(slug: "e\u{301}\0x")])
            let sets = try following.wait("two change sets") { $0.count == 2 }
            try expectEqual(try sets[0].inserted(Ticket.self), [ticket.id])
            try expectEqual(try sets[1].inserted(Note.self)?.map { Array($0.utf8) }, [Array("e\u{301}\0x".utf8)])
        },
        ConformanceCase(
            "history.concurrent", in: .history,
            "what several writers commit at once is told in order, nothing left out, nothing twice", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let followers = (0..<3).map { _ in Following(stack.changes, on: trial) }
            let start = try stack.blocking.read { $0.transactionNumber }
            let writers = (0..<4).map { writer in
                Worker("a writer") {
                    for round in 0..<25 {
                        try stack.blocking.write(as: "writer \(writer)") {
                            _ = try $0.insert(Shelf(id: Int64(writer * 100 + round)))
                        }
                    }
                }
            }
            for writer in writers { try writer.value() }
            for following in followers {
                let sets = try following.wait("100 change sets") { $0.count >= 100 }
                try expectEqual(sets.map(\.transactionNumber), (1...100).map { start + $0 })
                for writer in 0..<4 {
                    let own = sets.filter { $0.origin.name == "writer \(writer)" }
                    try expectEqual(own.count, 25)
                    let known = try own.compactMap { try $0.inserted(Shelf.self) }
                    if known.count == 25 {
                        try expectEqual(known.flatMap { $0 }, (0..<25).map { Int64(writer * 100 + $0) })
                    }
                }
            }
        },
        ConformanceCase(
            "history.untold", in: .history, "what is rolled back is not told, nor what changes nothing",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "a")])
            let following = Following(try trial.stack.changes, on: trial)
            try expectAbandoned {
                try trial.write { tx in
                    try tx.insert(Shelf(id: 2))
                    throw Abandon()
                }
            }
            try trial.write { tx in
                try tx.insert(Shelf(id: 3))
                try expectAbandoned {
                    try tx.savepoint {
                        try tx.insert(Shelf(id: 4))
                        try tx.delete(Shelf.self, 1)
                        throw Abandon()
                    }
                }
                try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) { try tx.insert(Shelf(id: 3)) }
            }
            try trial.write { try $0.update(Shelf(id: 1, name: "a")) }
            try trial.write { tx in
                try tx.insert(Shelf(id: 5))
                try tx.delete(Shelf.self, 5)
                try tx.update(Shelf(id: 1, name: "b"))
            }
            let sets = try following.wait("the last change set") { sets in
                try sets.contains { try $0.updated(Shelf.self)?.count == 1 }
            }
            try expectEqual(try sets.flatMap { try $0.inserted(Shelf.self) ?? [] }, [3])
            try expectEqual(try sets.flatMap { try $0.deleted(Shelf.self) ?? [] }, [])
            try expectEqual(try sets.flatMap { try $0.updated(Shelf.self) ?? [] }.map(\.key), [1])
        },
        ConformanceCase(
            "history.rules", in: .history, "what bulk statements and delete rules do is told record by record",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            try trial.insert([Person(id: 1), Person(id: 2, number: 2)])
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([
                Box(id: 1, shelf: Ref(1), spare: Ref(2), owner: Ref(1)), Box(id: 2, shelf: Ref(1), outer: Ref(1)),
                Box(id: 3, shelf: Ref(1), spare: Ref(2)),
            ])
            let following = Following(try trial.stack.changes, on: trial)
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try trial.write { _ = try $0.delete(Shelf.self, 2) }
            try trial.write { _ = try Person.all.updateAll(in: $0) { $0.set(\.age, to: 9) } }
            try trial.write { _ = try Box.all.deleteAll(in: $0) }
            let sets = try following.wait("four change sets") { $0.count == 4 }
            try expectEqual(try sets[0].deleted(Person.self), [1])
            try expectEqual(try sets[0].deleted(Box.self), [1, 2])
            try expectEqual(try sets[1].updated(Box.self)?.map(\.key), [3])
            try expectEqual(try sets[1].updated(Box.self)?.first?.attributes, ["spare"])
            try expectEqual(try sets[2].updated(Person.self)?.map(\.key), [2])
            try expectEqual(try sets[2].updated(Person.self)?.first?.attributes, ["age"])
            try expectEqual(try sets[3].deleted(Box.self), [3])
        },
        ConformanceCase(
            "history.filters", in: .history, "change sets are chosen by record type and by who wrote them",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let people = Following(try stack.changes.of(Person.self, Note.self), on: trial)
            let imports = Following(stack.changes.by("import"), on: trial)
            try stack.blocking.write { _ = try $0.insert(Shelf(id: 1)) }
            try stack.blocking.write(as: "import") { _ = try $0.insert(Shelf(id: 2)) }
            try stack.blocking.write { _ = try $0.insert(Person(id: 3)) }
            try stack.blocking.write(as: "import") { _ = try $0.insert(Person(id: 4, number: 4)) }
            let ofPeople = try people.wait("two change sets") { $0.count == 2 }
            try expectEqual(try ofPeople.flatMap { try $0.inserted(Person.self) ?? [] }, [3, 4])
            let imported = try imports.wait("two change sets") { $0.count == 2 }
            try expectEqual(try imported.flatMap { try $0.inserted(Shelf.self) ?? [] }, [2])
            try expectError(.unknownEntity, entity: "Song") { try stack.changes.of(Song.self) }
        },
        ConformanceCase(
            "history.except", in: .history,
            "change sets are left out by their origin, so that a context ignores its own echo, and by a writer's name",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let edit = try stack.makeContext(named: "editor")
            let namesake = try stack.makeContext(named: "editor")
            let others = Following(stack.changes.except(edit.origin), on: trial)
            let unnamed = Following(stack.changes.except("import", "editor"), on: trial)
            let neither = Following(stack.changes.except(edit.origin).except("import"), on: trial)
            try edit.insert(Shelf(id: 1))
            try edit.blocking.save()
            try namesake.insert(Shelf(id: 2))
            try namesake.blocking.save()
            try stack.blocking.write(as: "import") { _ = try $0.insert(Shelf(id: 3)) }
            try stack.blocking.write { _ = try $0.insert(Shelf(id: 4)) }
            func shelves(_ sets: [ChangeSet]) throws -> [Int64] {
                try sets.flatMap { try $0.inserted(Shelf.self) ?? [] }
            }
            try expectEqual(try shelves(try others.wait("three change sets") { $0.count == 3 }), [2, 3, 4])
            try expectEqual(try shelves(try unnamed.wait("a change set") { $0.count == 1 }), [4])
            try expectEqual(try shelves(try neither.wait("two change sets") { $0.count == 2 }), [2, 4])
        },
        ConformanceCase(
            "history.ends", in: .history, "a stream of changes ends with its task and when its stack closes",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.another(at: trial.folder + "/Other.granary")
            let (cancelled, closed) = (Following(stack.changes, on: trial), Following(stack.changes, on: trial))
            try stack.blocking.write { _ = try $0.insert(Shelf(id: 1)) }
            try cancelled.wait("a change set") { $0.count == 1 }
            cancelled.cancel()
            try cancelled.finished()
            try stack.blocking.write { _ = try $0.insert(Shelf(id: 2)) }
            try closed.wait("two change sets") { $0.count == 2 }
            try stack.blocking.close()
            try closed.finished()
            try expectEqual(cancelled.values.count, 1)
            try Following(stack.changes, on: trial).finished()
        },
        ConformanceCase(
            "history.another-stack", in: .history, "what another stack on the same store commits is told",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let other = try trial.another()
            let following = Following(stack.changes, on: trial)
            let watch = stack.watchForChanges(every: .milliseconds(5))
            defer { watch.cancel() }
            let start = try stack.blocking.read { $0.transactionNumber }
            for number in 1...3 { try other.blocking.write { _ = try $0.insert(Shelf(id: Int64(number))) } }
            let sets = try following.wait("three change sets") { $0.count == 3 }
            try expectEqual(sets.map(\.transactionNumber), (1...3).map { start + $0 })
        },
        ConformanceCase(
            "history.stacks-of-one-process", in: .history,
            "a stack tells what another stack of the process commits, record by record, and does not watch for it",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let other = try trial.another()
            let following = Following(stack.changes, on: trial)
            let start = try stack.blocking.read { $0.transactionNumber }
            try other.blocking.write { _ = try $0.insert(Shelf(id: 1)) }
            try stack.blocking.write { _ = try $0.insert(Shelf(id: 2)) }
            let sets = try following.wait("the stack's own commit") { $0.last?.transactionNumber == start + 2 }
            try expectEqual(sets.map(\.transactionNumber), [start + 1, start + 2])
            try expectEqual(try sets.map { try $0.inserted(Shelf.self) }, [[1], [2]])
        },
    ]
}
