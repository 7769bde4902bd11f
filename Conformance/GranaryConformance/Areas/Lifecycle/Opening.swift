import ConformanceKit
import GranaryCore

var openingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "opening.create", in: .opening, "a new path gives a new store, empty and usable", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            for _ in 0..<2 {
                try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
                try expectEqual(try stack.blocking.read { try $0.find(Shelf.self, 1) }, nil)
            }
            try trial.insert([Shelf(id: 1)])
            try expectEqual(try trial.keys(Shelf.all), [1])
        },
        ConformanceCase(
            "opening.close-reopen", in: .opening, "what was committed is there when the store is opened again",
            requires: [.reopening], modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let number = try trial.read { $0.transactionNumber }
            for _ in 0..<5 {
                try trial.reopen()
                try expectUnchanged(trial)
                try expectEqual(try trial.read { $0.transactionNumber }, number, "the number of the last commit")
            }
            try trial.insert([Shelf(id: 4)])
            try trial.reopen()
            try expectEqual(try trial.read { $0.transactionNumber }, number + 1)
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3, 4])
        } otherwise: { trial in
            // The store ends with its last stack; the next one is new.
            try seedShelves(trial)
            try trial.reopen()
            try expectEqual(
                try trial.read { try $0.count(Shelf.all) }, 0, "what a store that cannot be opened again kept")
            try expectEqual(try trial.read { $0.transactionNumber }, 0)
            try seedShelves(trial)
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.rolled-back-and-reopened", in: .opening, "what was rolled back is not there when opened again",
            requires: [.reopening], modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            try expectAbandoned {
                try trial.write { tx in
                    try changeEverything(tx)
                    throw Abandon()
                }
            }
            try trial.reopen()
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.assigned-keys-reopened", in: .opening,
            "an assigned key is not used again after its record was deleted and the store opened again",
            requires: [.reopening], modes: [.fresh]
        ) { trial in
            let first = try trial.write { try $0.insert(Counter(label: "a")).id }
            let second = try trial.write { try $0.insert(Counter(label: "b")).id }
            try expect(second > first, "\(second) is not greater than \(first)")
            try trial.write { tx in _ = try Counter.deleteAll(in: tx) }
            try trial.reopen()
            let third = try trial.write { try $0.insert(Counter(label: "c")).id }
            try expect(third > second, "\(third) is not greater than \(second)")
        },
        ConformanceCase("opening.close-twice", in: .opening, "closing again does nothing", modes: [.fresh]) { trial in
            let stack = try trial.another()
            try stack.blocking.close()
            try stack.blocking.close()
            try expectError(.closed) { try stack.blocking.read { _ in } }
        },
        ConformanceCase(
            "opening.use-after-close", in: .opening, "each verb of a closed stack throws closed", modes: [.fresh]
        ) { trial in
            let stack = try trial.another()
            try stack.blocking.close()
            try expectError(.closed) { try stack.blocking.read { try $0.count(Shelf.all) } }
            try expectError(.closed) { try stack.blocking.write { try $0.insert(Shelf(id: 1)) } }
            try expectError(.closed) { try stack.blocking.verify() }
            try expectEqual(try trial.keys(Shelf.all), [])
        },
        ConformanceCase(
            "opening.two-stacks", in: .opening,
            "two stacks on one store both read and write; closing one leaves the other", modes: [.fresh]
        ) { trial in
            let first = try trial.stack
            let second = try trial.another()
            let third = try trial.another()
            try first.blocking.write { tx in _ = try tx.insert(Shelf(id: 1)) }
            try second.blocking.write { tx in _ = try tx.insert(Shelf(id: 2)) }
            try third.blocking.close()
            for stack in [first, second] {
                try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all) }.count, 2)
            }
            try trial.close()
            try expectError(.closed) { try first.blocking.read { try $0.count(Shelf.all) } }
            try second.blocking.write { tx in _ = try tx.insert(Shelf(id: 3)) }
            try expectEqual(try second.blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [1, 2, 3])
            try expectEqual(try trial.another().blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [1, 2, 3])
        },
        ConformanceCase(
            "opening.open-close-often", in: .opening, "a store is opened and closed a hundred times", modes: [.fresh]
        ) { trial in
            let kept = try trial.stack
            for number in Int64(1)...100 {
                let stack = try trial.another()
                try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: number)) }
                try stack.blocking.close()
            }
            try expectEqual(try kept.blocking.read { try $0.count(Shelf.all) }, 100)
        },
        ConformanceCase(
            "opening.two-stores", in: .opening, "stores at two paths have nothing to do with each other",
            modes: [.fresh]
        ) { trial in
            let first = try trial.stack
            let second = try trial.another(at: trial.folder + "/Other.granary")
            try first.blocking.write { tx in _ = try tx.insert(Shelf(id: 1)) }
            try expectEqual(try second.blocking.read { try $0.count(Shelf.all) }, 0)
            // Both at once: each has a writer of its own.
            try first.blocking.write { tx in
                try tx.insert(Shelf(id: 2))
                try second.blocking.write { tx in _ = try tx.insert(Shelf(id: 3)) }
            }
            try expectEqual(try first.blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [1, 2])
            try expectEqual(try second.blocking.read { try $0.fetch(Shelf.all).map(\.id) }, [3])
        },
        ConformanceCase(
            "opening.opened-by-many-at-once", in: .opening, "threads that open one new store at once all get it",
            modes: [.fresh]
        ) { trial in
            let kept = try trial.stack
            let subject = trial.subject
            let path = trial.storePath
            let workers = (0..<8).map { number in
                Worker("an opening thread") {
                    let stack = try subject.open(SuiteSchema.standard, at: path)
                    try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: Int64(number))) }
                    try stack.blocking.close()
                }
            }
            for worker in workers { try worker.value() }
            try expectEqual(try kept.blocking.read { try $0.count(Shelf.all) }, 8)
        },
        ConformanceCase(
            "opening.invalid-schema", in: .opening, "a schema that breaks a rule is refused and nothing is created",
            modes: [.fresh]
        ) { trial in
            func entity(_ name: String, _ attributes: [Attribute], key: String = "id", indexes: [Index] = []) -> Entity
            {
                Entity(name, key: key, attributes: attributes, indexes: indexes)
            }
            let id = Attribute("id", Int64.self)
            let schemas: [(String, Schema)] = [
                ("no entities", Schema(entities: [])),
                ("a name with a space", Schema(entities: [entity("A B", [id])])),
                ("a name that is reserved", Schema(entities: [entity("sqlite_a", [id])])),
                ("two entities of one name", Schema(entities: [entity("A", [id]), entity("a", [id])])),
                ("two attributes of one name", Schema(entities: [entity("A", [id, Attribute("ID", Int64.self)])])),
                ("no key", Schema(entities: [entity("A", [Attribute("name", String.self)])])),
                ("an optional key", Schema(entities: [entity("A", [Attribute("id", Int64?.self)])])),
                ("a key of doubles", Schema(entities: [entity("A", [Attribute("id", Double.self)])])),
                ("a reference to nothing", Schema(entities: [entity("A", [id, Attribute("b", Ref<Shelf>.self)])])),
                ("an empty index", Schema(entities: [entity("A", [id], indexes: [Index(attributes: [])])])),
                (
                    "a long name",
                    Schema(entities: [entity(String(repeating: "a", count: 64), [id])])
                ),
            ]
            for (what, schema) in schemas {
                do {
                    try trial.open(schema)
                    throw ConformanceFailure(message: "opened with \(what)", file: #fileID, line: #line)
                } catch let error as GranaryError {
                    try expectEqual(error.code, .invalidSchema, what)
                }
                try expectEqual(files(trial.storePath), [:], "files made for \(what)")
            }
            let unknown = Schema(entities: [entity("A", [id], indexes: [.index("nothing")])])
            try expectError(.unknownAttribute) { try trial.open(unknown) }
            try seedShelves(trial)
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.unknown-type", in: .opening,
            "a record type that the schema lacks throws unknownEntity, one declared otherwise schemaMismatch",
            modes: [.fresh]
        ) { trial in
            try trial.open(Schema(Shelf.self))
            try trial.write { tx in
                try expectError(.unknownEntity, entity: "Counter") { try tx.insert(Counter(label: "x")) }
                try expectError(.unknownEntity, entity: "Counter") { try tx.count(Counter.all) }
                try expectError(.unknownEntity, entity: "Counter") { try tx.find(Counter.self, 1) }
                try expectError(.schemaMismatch) { try tx.insert(WideShelf(id: 1)) }
                try tx.insert(Shelf(id: 1))
            }
            try expectEqual(try trial.keys(Shelf.all), [1])
        },
        ConformanceCase(
            "opening.honest-capabilities", in: .opening,
            "what a stack says that its store can do is what the store's author says", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            // It keeps values in files only where the schema has attributes for it.
            let plain = trial.subject.capabilities.subtracting([.externalData])
            try expectEqual(stack.capabilities.features, plain)
            let photos = try trial.another(Photo.schema, at: trial.folder + "/Photos.granary")
            try expectEqual(photos.capabilities.features, trial.subject.capabilities, "with external attributes")
            try expect(!stack.storeKind.isEmpty, "the store has no kind")
            let limits = stack.capabilities.limits
            try expect(limits.savepointDepth >= 100, "savepoints nest \(limits.savepointDepth) deep, 100 is the least")
            try expect(limits.valueSize > 0 && limits.keySize > 0, "limits of \(limits)")
            try expectEqual(try stack.blocking.verify(), [], "the faults of a new store")
            try seedShelves(trial)
            try expectEqual(try stack.blocking.verify(), [], "the faults of a store in use")
        },
        ConformanceCase(
            "opening.honest-persistence", in: .opening,
            "a store that says it persists has files at its path, one that does not has none", modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let persists = trial.subject.capabilities.contains(.persistence)
            if trial.subject.isParted, !persists { throw NotTested(reason: "one of its parts has files") }
            try expectEqual(!files(trial.storePath).isEmpty, persists, "whether there are files")
            let location = try trial.stack.location
            try expectEqual(location != nil, persists, "whether there is a location")
            if let location { try expect(kindOfFile(location) != nil, "nothing is at the location \(location)") }
            let other = try trial.another(at: trial.folder + "/Other.granary")
            try expectEqual(try other.blocking.read { try $0.count(Shelf.all) }, 0)
            try trial.close()
            let shelves = try trial.another().blocking.read { try $0.count(Shelf.all) }
            try expectEqual(
                shelves, trial.subject.has(.reopening) ? 3 : 0, "the shelves after closing and opening again")
        },
    ] + openingSchemaCases + openingPathCases + openingDamageCases + openingReadOnlyCases
        + openingStoredCases
}

/// Another type for the entity `Shelf`, with an attribute more.
private struct WideShelf: Record {
    var id: Int64
    var width = 0

    init(id: Int64) { self.id = id }
    static let entityName = "Shelf"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("width", Int.self)])
    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode("", at: 1)
        try row.encode(width, at: 2)
    }
    struct Fields: Sendable { let id = Field<WideShelf, Int64>("id") }
    static let fields = Fields()
}
