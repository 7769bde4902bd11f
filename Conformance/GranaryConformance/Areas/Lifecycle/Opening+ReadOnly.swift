import ConformanceKit
import GranaryCore

var openingReadOnlyCases: [ConformanceCase] {
    [
        ConformanceCase(
            "opening.read-only", in: .opening, "a store opened read-only is read; each write throws readOnly",
            requires: [.persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            try trial.close()
            let stack = try trial.another(access: .readOnly)
            try stack.blocking.read { try expectUnchanged($0) }
            for statement in mixedProgram { try expectError(.readOnly) { try stack.blocking.write(statement) } }
            try expectError(.readOnly) { try stack.blocking.write { _ in } }
            try stack.blocking.read { try expectUnchanged($0) }
            try stack.blocking.close()
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.read-only-missing", in: .opening, "a missing store opened read-only is refused and not created",
            requires: [.persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            try expectError(.notAStore) { try trial.another(access: .readOnly) }
            try expect(kindOfFile(trial.storePath) == nil, "something was created")
            try makeFolder(trial.storePath)
            try expectError(.notAStore) { try trial.another(access: .readOnly) }
            try expectEqual(files(trial.storePath), ["": []])
        },
        ConformanceCase(
            "opening.read-only-other-schema", in: .opening, "another schema is refused read-only too",
            requires: [.persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            try trial.close()
            try expectError(.schemaMismatch) { try trial.another(Schema(Shelf.self), access: .readOnly) }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.read-only-beside-writer", in: .opening,
            "a read-only stack beside one that writes is refused with alreadyOpen, or sees each commit",
            requires: [.persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            let writer = try trial.stack
            try trial.insert([Shelf(id: 1)])
            let reader: Stack
            do {
                reader = try trial.another(access: .readOnly)
            } catch let error as GranaryError {
                return try expectEqual(error.code, .alreadyOpen)
            }
            for number in 1...10 {
                try expectEqual(try reader.blocking.read { try $0.count(Shelf.all) }, number)
                try writer.blocking.write { tx in _ = try tx.insert(Shelf(id: Int64(number) + 1)) }
            }
            try expectError(.readOnly) { try reader.blocking.write { _ in } }
            try reader.blocking.close()
            try writer.blocking.write { tx in _ = try tx.insert(Shelf(id: 100)) }
            try expectEqual(try writer.blocking.read { try $0.count(Shelf.all) }, 12)
        },
    ]
}
