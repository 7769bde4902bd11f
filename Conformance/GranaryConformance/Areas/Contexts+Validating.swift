import GranaryCore

let validatingCases: [ConformanceCase] = [
    ConformanceCase(
        "contexts.validation", in: .contexts,
        "a record's own rules are asked when it is written, in a context when it is saved"
    ) { trial in
        try trial.open(Schema(Mark.self))
        try trial.insert([Mark(id: 1, value: 1)])
        func refuse<T>(_ body: (Transaction) throws -> T) throws {
            try expectError(.invalidRecord, entity: "Mark", attributes: ["value"]) { try trial.write(body) }
        }
        try refuse { try $0.insert(Mark(id: 2, value: 6)) }
        try refuse { try $0.insert([Mark(id: 2, value: 2), Mark(id: 3, value: 0)]) }
        try refuse { try $0.update(Mark(id: 1, value: 0)) }
        try refuse { try $0.upsert(Mark(id: 1, value: 0)) }
        let edit = try trial.stack.makeContext()
        try edit.insert(Mark(id: 4, value: 99))
        try edit.update(Mark(id: 1, value: 2))
        try expectError(.invalidRecord, entity: "Mark") { try edit.validate() }
        try expectError(.invalidRecord, entity: "Mark") { try edit.saveNow() }
        let child = try edit.makeChild()
        try child.insert(Mark(id: 5, value: 77))
        try expectError(.invalidRecord, entity: "Mark") { try child.saveToParent() }
        child.rollback()
        try expectEqual(try trial.stack.readNow { try $0.fetch(Mark.all) }, [Mark(id: 1, value: 1)])
        try edit.update(Mark(id: 4, value: 5))
        try edit.saveNow()
        try expectEqual(try trial.fetch(Mark.all), [Mark(id: 1, value: 2), Mark(id: 4, value: 5)])
    },
    ConformanceCase(
        "contexts.validating-order", in: .contexts, "of several records that are refused the first by key is named"
    ) { trial in
        try trial.open(Schema(Mark.self))
        let edit = try trial.stack.makeContext()
        // With a single refused value an order by chance would pass now and then.
        for id in (1...40).reversed() { try edit.insert(Mark(id: Int64(id), value: id < 20 ? 1 : 100 + id)) }
        let error = try expectError(.invalidRecord, entity: "Mark") { try edit.validate() }
        try expect(error.message.contains("120"), "another one is named: \(error.message)")
    },
    ConformanceCase(
        "merging.optimistic", in: .merging, "an update that says what it began from merges, or notices what others did"
    ) { trial in
        let old = Person(id: 1, firstName: "Ada", age: 36, country: "GB")
        try trial.insert([old])
        try trial.write { try $0.update(old.with { $0.rating = 5 }) }
        let merged = try trial.write { try $0.update(old.with { $0.age = 37 }, from: old) }
        try expectEqual(merged, old.with { ($0.age, $0.rating) = (37, 5) })
        try expectEqual(try trial.find(Person.self, 1), merged)
        let error = try expectError(.mergeConflict, entity: "Person", attributes: ["age"]) {
            try trial.write { try $0.update(old.with { $0.age = 38 }, from: old) }
        }
        try expectEqual(error.conflicts.map(\.kind), [.changedTwice])
        try trial.write { _ = try $0.update(old.with { $0.age = 38 }, from: old, mergePolicy: .contextWins) }
        try expectEqual(try trial.find(Person.self, 1)?.age, 38)
        try trial.write { _ = try $0.delete(Person.self, 1) }
        try expectError(.mergeConflict) { try trial.write { try $0.update(old.with { $0.age = 1 }, from: old) } }
        let gone = try trial.write { try $0.update(old.with { $0.age = 1 }, from: old, mergePolicy: .storeWins) }
        try expectEqual(gone, nil)
        try expectError(.invalidQuery) { try trial.write { try $0.update(old.with { $0.id = 2 }, from: old) } }
    },
    ConformanceCase(
        "merging.retry", in: .merging, "work that others were faster at is done again, other errors are not"
    ) { trial in
        try trial.insert([Person(id: 1, age: 0, country: "GB")])
        let stack = try trial.stack
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    try await retryingConflicts(attempts: 50) {
                        let old = try await stack.read { try $0.find(Person.self, 1) }
                        guard let old else { return }
                        let new = old.with { $0.firstName += "\(number)" }
                        _ = try await stack.write { try $0.update(new, from: old) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try expectEqual(try trial.find(Person.self, 1)?.firstName.sorted(), ["0", "1", "2", "3"])
        let attempts = Attempts()
        do {
            try await retryingConflicts(attempts: 5) {
                attempts.count += 1
                throw GranaryError(.required, "no")
            }
            throw ConformanceFailure(message: "the error is lost", file: #fileID, line: #line)
        } catch let error as GranaryError {
            try expectEqual(error.code, .required)
        }
        try expectEqual(attempts.count, 1)
    },
]

private final class Attempts { var count = 0 }
