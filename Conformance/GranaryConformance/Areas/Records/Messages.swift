import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

/// What errors say: the same in every store and in contexts, with the entity, the attribute and the record, and with
/// advice that can be followed.
var messagesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "messages.rules", in: .messages, "a broken rule has the same text in every store, and advises what helps"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.insert([Person(id: 1, country: "a", number: 1)])
            try trial.insert([Box(id: 1, shelf: Ref(1))])
            try trial.write { tx in
                var error = try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                    try tx.insert(Shelf(id: 1))
                }
                try expectEqual(
                    error.message,
                    "A record of Shelf with this key exists already. Update or upsert it, or use another key.")
                // An upsert would not help here.
                for verb in [
                    { try tx.insert(Person(id: 2, country: "a", number: 1)) },
                    { try tx.upsert(Person(id: 3, country: "a", number: 1)) },
                ] {
                    error = try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                        try verb()
                    }
                    try expectEqual(
                        error.message,
                        "Another record of Person has the same country, number. Change one of them, or update the other."
                    )
                }
                error = try expectError(.recordNotFound, entity: "Shelf") { try tx.update(Shelf(id: 7)) }
                try expectEqual(
                    error.message,
                    "No record of Shelf has that key. Use insert for a new record, or upsert to insert or update.")
                error = try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try tx.insert(Box(id: 2, shelf: Ref(9)))
                }
                try expectEqual(
                    error.message,
                    "Box.shelf refers to a record of Shelf that does not exist. Insert that record first.")
                error = try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    try tx.delete(Shelf.self, 1)
                }
                try expectEqual(
                    error.message,
                    "A record of Shelf cannot be deleted: Box.shelf refers to it. Delete or change the referring records first."
                )
            }
        },
        ConformanceCase(
            "messages.values", in: .messages, "a value that cannot be stored names its attribute and the limit"
        ) { trial in
            let long = Boundaries.decimal("340282366920938463463374607431768211455")
            try trial.insert([Person(id: 1, country: "a", number: 1)])
            try trial.write { tx in
                let person = try tx.entity(of: Person.self)
                let position = try Person.entity.position(ofAttribute: "country")
                var record = try Person(id: 2, country: "b").values
                record[position] = .null
                let values = record
                let text = "Person.country is required and would be nil. Give it a value, or make it optional."
                let nothing = Assignment(position: position, value: .null)
                let verbs: [() throws -> Void] = [
                    { _ = try tx.insert(values, into: person) },
                    { _ = try tx.updateAll(FetchRequest(entity: person), setting: [nothing]) },
                ]
                for verb in verbs {
                    let error = try expectError(.required, entity: "Person", attributes: ["country"], verb)
                    try expectEqual(error.message, text)
                }
                var error = try expectError(.range, entity: "Sample", attributes: ["decimal"]) {
                    try tx.insert(Sample(id: 1, decimal: long))
                }
                try expect(error.message.contains("38 digits"), error.message)
                error = try expectError(.range, entity: "Sample", attributes: ["decimal"]) {
                    try Sample.all.updateAll(in: tx) { $0.set(\.decimal, to: long) }
                }
                try expect(error.message.contains("38 digits"), error.message)
            }
        },
        ConformanceCase(
            "messages.unknown-case", in: .messages,
            "a stored raw value that its enum does not have names entity, attribute and key, however it is read"
        ) { trial in
            try trial.insert([Sample(id: 1, mood: .calm), Sample(id: 2, mood: .wild)])
            try trial.write { tx in
                var record = try DynamicRecord("Sample", in: tx.schema)
                guard let stored = try tx.find("Sample", 2 as Int64) else { return }
                record = stored
                try record.set("mood", to: "furious")
                try tx.update(record)
            }
            try trial.read { snapshot in
                try expectEqual(try snapshot.find(Sample.self, 1)?.mood, .calm)
                let reads: [(String, () throws -> Int)] = [
                    ("find", { try snapshot.find(Sample.self, 2) == nil ? 0 : 1 }),
                    ("fetch", { try snapshot.fetch(Sample.all).count }),
                    ("first", { try snapshot.first(Sample.sorted(by: \.id, .descending)) == nil ? 0 : 1 }),
                    (
                        "forEach",
                        {
                            try Sample.all.forEach(in: snapshot) { _ in }; return 0
                        }
                    ),
                    (
                        "cursor",
                        {
                            let rows = try Sample.all.cursor(in: snapshot); while try rows.next() != nil {}; return 0
                        }
                    ),
                    ("page", { try Sample.all.page(in: snapshot, size: 5).records.count }),
                ]
                for (name, read) in reads {
                    let error = try expectError(.typeMismatch, entity: "Sample", attributes: ["mood"], read)
                    try expectEqual(error.key, .integer(2), name)
                    try expect("\(error)".contains("[Sample.mood, key 2]"), "\(name): \(error)")
                    try expect(error.message.contains("Mood"), "\(name): \(error)")
                    try expect(!"\(error)".contains("furious"), "\(name): a stored value")
                }
                try expectUnknownMood(snapshot)
            }
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try expectUnknownMood(context)
            var changes = try context.monitor(Sample.self).makeAsyncIterator()
            var record = try present(try context.find("Sample", 2 as Int64))
            try record.set("text", to: "new")
            try context.update(record)
            let told: Result<EntityChanges<Sample>?, any Error>
            do { told = .success(try await changes.next()) } catch { told = .failure(error) }
            let monitored = try expectError(.typeMismatch, entity: "Sample", attributes: ["mood"]) { try told.get() }
            try expectEqual(monitored.key, .integer(2), "monitor")
            // A policy that gives such a value.
            let old = Sample(id: 1, mood: .calm)
            let policy = MergePolicy.resolving { conflict in
                var merged = conflict.merged
                try merged?.set("mood", to: "furious")
                return merged.map { .replace($0) } ?? .fail
            }
            try trial.write { try $0.update(Sample(id: 1, text: "theirs", mood: .calm)) }
            let updated = try expectError(.typeMismatch, entity: "Sample", attributes: ["mood"]) {
                try trial.write {
                    try $0.update(Sample(id: 1, text: "mine", mood: .calm), from: old, mergePolicy: policy)
                }
            }
            try expectEqual(updated.key, .integer(1), "update(_:from:)")
        },
        ConformanceCase(
            "messages.overflow", in: .messages, "a result that does not fit names the entity that was asked",
            modes: [.fresh]
        ) { trial in
            try trial.insert([Sample(id: 1, integer: .max)])
            let query = Sample.where { $0.integer + 1 > 0 }
            let choice = Sample.all.select { $0.integer + 1 }
            try trial.read { snapshot in
                try expectError(.overflow, entity: "Sample") { try snapshot.fetch(choice).count }
                try expectError(.overflow, entity: "Sample") { try snapshot.fetch(query).count }
                try expectError(.overflow, entity: "Sample") { try snapshot.count(query) }
                try expectError(.overflow, entity: "Sample") {
                    try snapshot.fetch(Sample.sorted(by: { $0.integer + 1 })).count
                }
                // Groups: values computed from their records, and values computed from their sums.
                let groups = Sample.all.grouped(by: { $0.flag })
                let sums = groups.select { $0.integer.sum }
                try expectError(.overflow, entity: "Sample") { try Sample.all.sum({ $0.integer + 1 }, in: snapshot) }
                try expectError(.overflow, entity: "Sample") {
                    try snapshot.fetch(Sample.all.grouped(by: { $0.integer + 1 }).select { $0.id.count }).count
                }
                try expectError(.overflow, entity: "Sample") {
                    try snapshot.fetch(groups.having { $0.integer.sum + 1 > 0 }.select { $0.integer.sum }).count
                }
                try expectError(.overflow, entity: "Sample") {
                    try snapshot.fetch(sums.sorted(by: { $0.integer.sum + 1 })).count
                }
            }
            try trial.write { tx in
                try expectError(.overflow, entity: "Sample") { try query.deleteAll(in: tx) }
                try expectError(.overflow, entity: "Sample") {
                    try query.updateAll(in: tx) { $0.set(\.mood, to: .sad) }
                }
            }
        },
        ConformanceCase(
            "messages.pages", in: .messages, "a page as large as can be asked for holds every record", modes: [.fresh]
        ) { trial in
            try trial.insert((1...3).map { Shelf(id: $0) })
            try trial.read { snapshot in
                let page = try Shelf.all.page(in: snapshot, size: .max)
                try expectEqual(page.records.map(\.id), [1, 2, 3])
                try expect(!page.hasMore, "there are no more")
                let first = try Shelf.all.page(in: snapshot, size: 1)
                let end = try present(first.end)
                try expectEqual(try Shelf.all.page(in: snapshot, after: end, size: .max).records.map(\.id), [2, 3])
                try expectEqual(try Shelf.all.page(in: snapshot, before: end, size: .max).records.map(\.id), [])
                _ = try Shelf.all.explain(in: snapshot, after: end, size: .max)
                try expectError(.invalidQuery) { try Shelf.all.page(in: snapshot, size: -1) }
                let error = try expectError(.invalidQuery) {
                    try Shelf.sorted(by: \.name).page(in: snapshot, after: end, size: 1)
                }
                try expectEqual(
                    error.message,
                    "This page position was made for a different sort order. Use one from this query's pages.")
            }
        },
    ]
}

/// Chosen values are of no record, so errors name no key.
private func expectUnknownMood(_ context: ReadContext, line: Int = #line) throws {
    let reads: [(name: String, read: () throws -> Int)] = [
        ("projection", { try context.fetch(Sample.all.select(\.mood)).count }),
        ("tuples", { try context.fetch(Sample.all.select { ($0.id, $0.text, $0.mood) }).count }),
        ("distinct", { try context.fetch(Sample.all.select(\.mood).distinct()).count }),
        ("group", { try context.fetch(Sample.all.grouped(by: { $0.mood }).select { ($0.id.count, $0.mood) }).count }),
        ("maximum", { try Sample.where { $0.id == 2 }.maximum(\.mood, in: context) == nil ? 0 : 1 }),
    ]
    for (name, read) in reads {
        let error = try expectError(.typeMismatch, entity: "Sample", attributes: ["mood"], line: line, read)
        try expectEqual(error.key, nil, name)
        try expect("\(error)".contains("[Sample.mood]") && error.message.contains("Mood"), "\(name): \(error)")
        try expect(!"\(error)".contains("furious"), "\(name): a stored value")
    }
}
