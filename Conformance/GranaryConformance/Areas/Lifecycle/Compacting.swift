import ConformanceKit
import Foundation
import GranaryCore

/// The bytes of all files in the live generation of a store; 0 for a store without files.
private func size(_ stack: Stack) throws -> Int {
    guard let location = stack.location else { return 0 }
    let folder = URL(filePath: location).deletingLastPathComponent().path
    // The space that the files take on the disk. Holes take no space.
    return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
        let size = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int ?? 0
        return sum + size
    }
}

private func generations(_ store: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store).filter { $0.hasPrefix("gen-") }.sorted()
}

private let filling = String(repeating: "granary ", count: 250)

var compactingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "compacting.unchanged", in: .compacting,
            "after compacting, records, links, history, assigned keys and numbers of commits are as before"
        ) { trial in
            try trial.close()
            let keepsHistory = trial.subject.capabilities.isSuperset(of: [.history, .changeRecording])
            let history: HistoryPolicy = keepsHistory ? .everything : .none
            var stack = try trial.another(history: history)
            let start = try await stack.historyToken()
            for number in 0..<20 {
                try await stack.write(as: "before") { tx in
                    _ = try tx.insert(Counter(label: "\(number)"))
                    try tx.insert(
                        Note(slug: "note \(number)", body: number % 2 == 0 ? filling : "", topic: "\(number % 3)"))
                }
            }
            try await stack.write { tx in
                _ = try Counter.deleteAll(in: tx)
                _ = try Note.where { $0.topic == "1" }.deleteAll(in: tx)
            }
            func state(_ stack: Stack) async throws -> (notes: [Note], token: HistoryToken) {
                (try await stack.read { try $0.fetch(Note.sorted(by: \.topic)) }, try await stack.historyToken())
            }
            let before = try await state(stack)
            for round in 1...3 {
                try await stack.compact()
                if trial.mode == .reopened, round == 2 {
                    try await stack.close()
                    stack = try trial.another(history: history)
                }
                let after = try await state(stack)
                try expectEqual(after.notes, before.notes)
                try expectEqual(after.token, before.token)
                try expectEqual(try stack.blocking.verify(), [])
            }
            if history != .none {
                let changes = try await stack.changes(since: start)
                try expectEqual(changes.map(\.origin.name), Array(repeating: "before", count: 20) + [nil])
            }
            try expectEqual(try stack.blocking.write { try $0.insert(Counter(label: "next")).id }, 21)
            try expectEqual(try stack.blocking.read { $0.transactionNumber }, before.token.transactionNumber + 1)
            try expectError(.uniqueness, entity: "Note", attributes: ["slug"]) {
                try stack.blocking.write { try $0.insert(Note(slug: "note 0")) }
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "compacting.smaller", in: .compacting,
            "after many updates under a held read, and after a deletion, compacting brings the files to at most twice what a new store has",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let stack = try trial.another()
            let notes = (0..<40).map { Note(slug: "note \($0)", body: filling) }
            try await stack.write { tx in _ = try tx.insert(notes) }
            try stack.blocking.read { held in
                for round in 0..<200 {
                    try stack.blocking.write { tx in
                        try tx.update(notes.map { Note(slug: $0.slug, body: $0.body, topic: "\(round)") })
                    }
                }
                try expectEqual(try held.count(Note.where { $0.topic == nil }), 40)
            }
            let grown = try size(stack)
            try await stack.compact()
            let compacted = try size(stack)
            let new = try trial.another(at: trial.folder + "/New.granary")
            try await new.write { tx in
                _ = try tx.insert(notes.map { Note(slug: $0.slug, body: $0.body, topic: "199") })
            }
            try await new.compact()
            let least = try size(new)
            try expect(grown > 4 * least, "the updates took space: \(grown) for \(least)")
            try expect(compacted <= 2 * least, "compacted from \(grown) to \(compacted), a new store has \(least)")
            try expectEqual(try generations(trial.storePath).count, 1)

            try await stack.write { tx in _ = try tx.insert((0..<500).map { Note(slug: "more \($0)", body: filling) }) }
            try await stack.write { tx in _ = try Note.where { $0.slug.hasPrefix("more") }.deleteAll(in: tx) }
            try await stack.compact()
            let emptied = try size(stack)
            try expect(emptied <= 2 * least, "after a deletion it has \(emptied), a new store has \(least)")
            try expectEqual(try stack.blocking.read { try $0.count(Note.all) }, 40)
        },
        ConformanceCase(
            "compacting.reads", in: .compacting, "a read that is under way finishes on the state it began with",
            modes: [.fresh]
        ) { trial in
            try trial.insert((0..<300).map { Note(slug: "note \($0)", body: filling) })
            let stack = try trial.stack
            let hasBegun = Event("the read's begin")
            let isReplaced = Event("the compaction and a write")
            let reader = Worker("the read") {
                try stack.blocking.read { snapshot in
                    // One cursor that is under way, and queries that begin afterwards.
                    var seen = 0
                    try Note.all.forEach(in: snapshot) { note in
                        if seen == 10 {
                            hasBegun.set()
                            try isReplaced.wait()
                        }
                        try expectEqual(note.body, filling)
                        seen += 1
                    }
                    try expectEqual(seen, 300)
                    try expectEqual(try snapshot.count(Note.where { $0.body == "" }), 0)
                    try expectEqual(try snapshot.find(Note.self, "note 7")?.body, filling)
                }
            }
            try await hasBegun.happened()
            try await stack.compact()
            try await stack.write { tx in _ = try Note.all.updateAll(in: tx) { $0.set(\.body, to: "") } }
            try await stack.compact()
            try expectEqual(try stack.blocking.read { try $0.count(Note.where { $0.body == "" }) }, 300)
            isReplaced.set()
            try reader.value()
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "compacting.busy-stack", in: .compacting,
            "readers and writers, of two stacks, go on while the store is compacted again and again", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let stacks = [stack, try trial.another()]
            try trial.insert([Shelf(id: 1, name: "0")])
            let isEnough = CancellationFlag()
            let writers = stacks.map { stack in
                Worker("a writer") {
                    var count = 0
                    while !isEnough.isSet || count < 20 {
                        try stack.blocking.write { tx in
                            let number = Int(try tx.find(Shelf.self, 1)?.name ?? "") ?? 0
                            try tx.update(Shelf(id: 1, name: "\(number + 1)"))
                            _ = try tx.insert(Counter(label: "\(number)"))
                        }
                        count += 1
                    }
                    return count
                }
            }
            let readers = (stacks + stacks).map { stack in
                Worker("a reader") {
                    var last = 0
                    while !isEnough.isSet {
                        let (number, count) = try stack.blocking.read { snapshot in
                            (Int(try snapshot.find(Shelf.self, 1)?.name ?? "") ?? 0, try snapshot.count(Counter.all))
                        }
                        try expectEqual(count, number)
                        try expect(number >= last, "a later read saw \(number) after \(last)")
                        last = number
                    }
                }
            }
            for round in 0..<12 { try await stacks[round % 2].compact() }
            isEnough.set()
            for reader in readers { try reader.value() }
            let total = try writers.reduce(0) { $0 + (try $1.value()) }
            try expectEqual(try stack.blocking.read { try $0.find(Shelf.self, 1)?.name }, "\(total)")
            try expectEqual(try stack.blocking.read { try $0.count(Counter.all) }, total)
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "compacting.contexts", in: .compacting,
            "contexts keep their pending changes, and nobody is told of a change", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
            let following = Following(stack.changes, on: trial)
            let context = try stack.makeContext()
            try context.update(Shelf.self, 1) { $0.name = "changed" }
            let new = try context.insert(Counter(label: "pending"))
            try await stack.compact()
            try expectEqual(try context.fetch(Shelf.all).map(\.name), ["changed", "two"])
            try await context.save()
            try expectEqual(try stack.blocking.read { try $0.fetch(Counter.all) }, [new])
            try expectEqual(try stack.blocking.read { try $0.find(Shelf.self, 1)?.name }, "changed")
            let number = try stack.blocking.read { $0.transactionNumber }
            try expectEqual(try following.wait("the save") { !$0.isEmpty }.map(\.transactionNumber), [number])
        },
        ConformanceCase(
            "compacting.refused", in: .compacting, "a store that is read-only or closed is not compacted",
            requires: [.readOnlyOpening], modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.close()
            let reading = try trial.another(access: .readOnly)
            do {
                try await reading.compact()
                throw ConformanceFailure(message: "a read-only store was compacted", file: #fileID, line: #line)
            } catch let error as GranaryError {
                try expectEqual(error.code, .readOnly)
            }
            try expectEqual(try reading.blocking.read { try $0.count(Shelf.all) }, 1)
            try await reading.close()
            do {
                try await reading.compact()
                throw ConformanceFailure(message: "a closed stack was compacted", file: #fileID, line: #line)
            } catch let error as GranaryError {
                try expectEqual(error.code, .closed)
            }
            try expectEqual(try generations(trial.storePath), ["gen-0001"])
        },
    ]
}
