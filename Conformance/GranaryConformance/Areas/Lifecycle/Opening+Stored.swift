import ConformanceKit
import GranaryCore

var openingStoredCases: [ConformanceCase] {
    [
        ConformanceCase(
            "opening.stored-schema", in: .opening,
            "a store opened without a schema has the stored one, is read and written by names, and stays the program's",
            requires: [.storedSchema], modes: [.fresh]
        ) { trial in
            let program = try trial.stack
            try seedShelves(trial)
            // Else the store is there for as long as a stack has it open.
            if trial.subject.has(.reopening) { try trial.close() }
            let stack = try trial.anotherStored()
            try expectEqual(stack.schema.fingerprint, program.schema.fingerprint)
            try expectEqual(stack.schema.recordTypes.count, 0)
            let relationships = stack.schema.entities.map(\.relationships)
            try expectEqual(
                relationships,
                stack.schema.entities.map { entity in
                    program.schema.entities.first { $0.name == entity.name }?.relationships ?? []
                })
            try stack.blocking.read { try expectUnchanged($0) }
            let names = try stack.blocking.read {
                try $0.fetch(Request("Shelf")).map { try $0.value("id", as: Int64.self) }
            }
            try expectEqual(names, [1, 2, 3])
            try stack.blocking.write { tx in
                var shelf = try DynamicRecord("Shelf", in: tx.schema)
                try shelf.set("id", to: Int64(9))
                try shelf.set("name", to: "nine")
                try tx.insert(shelf)
            }
            try stack.blocking.close()
            try expectEqual(try trial.find(Shelf.self, 9)?.name, "nine")
            try expectEqual(try trial.stack.blocking.verify(), [])
        } otherwise: { trial in
            try seedShelves(trial)
            try expectError(.unsupported) { try trial.anotherStored() }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.stored-schema-missing", in: .opening,
            "opened without a schema, a store that does not exist is refused and not created",
            requires: [.storedSchema], modes: [.fresh]
        ) { trial in
            try expectError(.notAStore, isOwnText: true) { try trial.anotherStored() }
            try expect(kindOfFile(trial.storePath) == nil, "something was created")
            guard trial.subject.capabilities.contains(.persistence) else { return }
            try makeFolder(trial.storePath)
            // A store in memory has no folder, and no error here.
            try expectError(.notAStore, isOwnText: true) { try trial.anotherStored() }
            try expectEqual(files(trial.storePath), ["": []])
        },
        ConformanceCase(
            "opening.stored-schema-read-only", in: .opening,
            "opened without a schema and for reading, a store is read, and each write throws readOnly",
            requires: [.storedSchema, .persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            try trial.close()
            let stack = try trial.anotherStored(access: .readOnly)
            try stack.blocking.read { try expectUnchanged($0) }
            try expectError(.readOnly) { try stack.blocking.write { _ in } }
            try stack.blocking.close()
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.stored-schema-migrated", in: .opening,
            "after a migration the stored schema is the new one", requires: [.storedSchema, .migration], modes: [.fresh]
        ) { trial in
            try trial.open(Schema(Shelf.self))
            try trial.insert([Shelf(id: 1, name: "a")])
            guard trial.subject.has(.reopening) else { return }
            let schema = Schema(Shelf.self, Note.self)
            try trial.open(schema)
            try trial.close()
            let stack = try trial.anotherStored()
            try expectEqual(stack.schema.fingerprint, schema.fingerprint)
            try expectEqual(try stack.blocking.read { try $0.count(Request("Shelf")) }, 1)
        },
    ]
}
