import ConformanceKit
import Foundation
import GranaryCore

var externalLifecycleCases: [ConformanceCase] {
    [
        ConformanceCase(
            "external.copy", in: .external,
            "a copy to each kind of store has the values, and is whole without the source",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema, at: trial.folder + "/Source.granary")
            let all = try fill(stack)
            for (number, subject) in try ([trial.subject] + trial.peers()).enumerated() {
                let copy = try await stack.copy(to: subject.storeProvider(at: trial.folder + "/Copy\(number).granary"))
                try expectEqual(try copy.blocking.read { try $0.fetch(Photo.all) }, all)
                try expectEqual(try copy.blocking.verify(), [])
                try await copy.close()
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "external.backup", in: .external, "a backup has the values", requires: [.persistence, .filling],
            modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema, at: trial.folder + "/Source.granary")
            let all = try fill(stack)
            let place = trial.folder + "/Backup.granary"
            try await stack.backUp(to: URL(filePath: place))
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place + "/external")) ?? []
            try expectEqual(
                names.filter { $0.hasPrefix("writer-") }, [], "the first opening of the backup looks for nothing")
            _ = try stack.blocking.write { try Photo.all.deleteAll(in: $0) }
            let backup = try trial.another(Photo.schema, at: place, migration: .refuse)
            try expectEqual(try backup.blocking.read { try $0.fetch(Photo.all) }, all)
            try expectEqual(try backup.blocking.verify(), [])
        },
        ConformanceCase(
            "external.backup-refused", in: .external, "a store that lacks a file is not backed up, and nothing is made",
            requires: [.persistence, .filling, .externalData], modes: [.fresh]
        ) { trial in
            let source = trial.folder + "/Source.granary"
            let stack = try trial.another(Photo.schema, at: source)
            _ = try stack.blocking.write { try $0.insert(Photo(id: 1, image: picture(1))) }
            for name in externalFiles(source) {
                try FileManager.default.removeItem(atPath: "\(source)/external/\(name)")
            }
            let place = trial.folder + "/Backup.granary"
            let error = try await expectAsyncError(.corrupt) { try await stack.backUp(to: URL(filePath: place)) }
            try expect(error.message.contains("Photo.image"), error.message)
            try trial.expectNoStore(at: place)
        },
        ConformanceCase(
            "external.seed", in: .external, "a store made from a seed has its values", requires: [.filling],
            modes: [.fresh]
        ) { trial in
            let place = trial.folder + "/Seed.granary"
            let source = try trial.another(Photo.schema, at: place)
            let all = try fill(source)
            let stack = try trial.another(Photo.schema, seed: .store(trial.subject.storeProvider(at: place)))
            try expectEqual(try stack.blocking.read { try $0.fetch(Photo.all) }, all)
            try expectEqual(try stack.blocking.verify(), [])
            _ = try stack.blocking.write { try Photo.all.deleteAll(in: $0) }
            try await stack.reset(to: .seed)
            try expectEqual(try stack.blocking.read { try $0.fetch(Photo.all) }, all)
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "external.reset", in: .external, "a reset removes the files", requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema)
            _ = try fill(stack)
            try await stack.reset(to: .empty)
            try expectEqual(try stack.blocking.read { try $0.count(Photo.all) }, 0)
            try expectEqual(try stack.blocking.verify(), [])
            try expectEqual(externalFiles(trial.storePath), [])
            _ = try stack.blocking.write { try $0.insert(Photo(id: 1, image: picture(1))) }
            try expectEqual(try stack.blocking.read { try $0.find(Photo.self, 1) }?.image, picture(1))
        },
        ConformanceCase(
            "external.compact", in: .external, "compacting keeps the values", requires: [.persistence], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema)
            let all = try fill(stack)
            try await stack.compact()
            try expectEqual(try stack.blocking.read { try $0.fetch(Photo.all) }, all)
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "external.migrate-to", in: .external, "an attribute becomes external, and no longer, and keeps its values",
            requires: [.persistence, .migration, .filling], modes: [.fresh]
        ) { trial in
            let plain = Photo.plainSchema
            var stack = try trial.another(plain)
            let all = try fill(stack)
            try await stack.close()
            try expectError(.schemaMismatch) { _ = try trial.another(Photo.schema) }
            for schema in [Photo.schema, plain, Photo.schema] {
                stack = try trial.another(schema, migration: .inferred)
                try expectEqual(try stack.blocking.read { try $0.fetch(Photo.all) }, all)
                try expectEqual(try stack.blocking.verify(), [])
                let isExternal = trial.subject.has(.externalData) && schema.fingerprint == Photo.schema.fingerprint
                try expectEqual(externalFiles(trial.storePath).isEmpty, !isExternal)
                try await stack.close()
            }
        },
        ConformanceCase(
            "external.uses-after-migration", in: .external,
            "after a migration a file goes with the last record that names it, and not before",
            requires: [.persistence, .migration, .filling], modes: [.fresh]
        ) { trial in
            var stack = try trial.another(Photo.schema)
            let isExternal = trial.subject.has(.externalData)
            _ = try stack.blocking.write { try $0.insert((1...4).map { Photo(id: $0, raw: picture(5)) }) }
            // From now on the uses are known.
            _ = try stack.blocking.write { try $0.delete(Photo.self, 4) }
            try await stack.close()
            var entities = Photo.schema.entities
            entities[0].keyGeneration = .assigned
            stack = try trial.another(Schema(entities: entities), migration: .inferred)
            for key in 1...3 {
                try expectEqual(externalFiles(trial.storePath).count, isExternal ? 1 : 0, "before \(key) is deleted")
                try stack.blocking.write { tx in _ = try tx.delete("Photo", Int64(key)) }
            }
            try expectEqual(externalFiles(trial.storePath), [])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "external.close-while-writing", in: .external,
            "a stack closes while another one writes, and leaves the files that it would remove to a later commit",
            requires: [.persistence, .externalData], modes: [.fresh]
        ) { trial in
            let (stack, other) = (try trial.another(Photo.schema), try trial.another(Photo.schema))
            _ = try stack.blocking.write { try $0.insert((1...2).map { Photo(id: $0, raw: picture(Int($0))) }) }
            // While a read is open the file of a deleted record waits.
            try other.blocking.read { _ in
                try Worker("the deletion") { _ = try stack.blocking.write { try $0.delete(Photo.self, 1) } }.value()
            }
            try expectEqual(externalFiles(trial.storePath).count, 2)
            let (hasBegun, isClosed) = (Event("the write's begin"), Event("the end of close"))
            let writer = Worker("the writer") {
                try other.blocking.write { tx in
                    hasBegun.set()
                    try isClosed.wait()
                    _ = try tx.insert(Photo(id: 3, raw: picture(3)))
                }
            }
            try await hasBegun.happened()
            // The store's time-out is ten seconds.
            try Worker("close") { try stack.blocking.close() }.value(seconds: 5)
            isClosed.set()
            try writer.value()
            try expectEqual(externalFiles(trial.storePath).count, 2)
            try expectEqual(try other.blocking.verify(), [])
        },
        ConformanceCase(
            "external.history", in: .external, "the history tells of changes of external attributes",
            requires: [.history, .changeRecording]
        ) { trial in
            try trial.close()
            let stack = try trial.another(Photo.schema, history: .everything)
            _ = try stack.blocking.write { try $0.insert(Photo(id: 1, image: picture(1))) }
            _ = try stack.blocking.write { try $0.update(Photo(id: 1, image: picture(2))) }
            let changes = try stack.committed(since: 0)
            try expectEqual(changes.count, 2)
            try expectEqual(changes[1].changes?.map(\.kind), [.updated(AttributeSet([2]))])
        },
        ConformanceCase(
            "external.destroy", in: .external, "a store that is destroyed leaves nothing",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema)
            _ = try fill(stack)
            try await stack.close()
            try trial.subject.storeProvider(at: trial.storePath).destroy()
            try expectEqual(files(trial.storePath), [:])
        },
        ConformanceCase(
            "external.read-only", in: .external, "a stack that only reads has the values",
            requires: [.persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            var stack = try trial.another(Photo.schema)
            let all = try fill(stack)
            try await stack.close()
            stack = try trial.another(Photo.schema, access: .readOnly)
            try expectEqual(try stack.blocking.read { try $0.fetch(Photo.all) }, all)
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "external.least-size", in: .external, "an attribute says from which size on its values are kept in files",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            func schema(_ size: Int) -> Schema {
                let data = Attribute("data", Data?.self).external(from: size)
                return Schema(entities: [Entity("Clip", key: "id", attributes: [Attribute("id", Int64.self), data])])
            }
            func insert(_ key: Int, _ count: Int, _ stack: Stack) throws {
                try stack.blocking.write { tx in
                    var clip = try DynamicRecord("Clip", in: tx.schema)
                    try clip.set("id", to: key)
                    try clip.set("data", to: picture(key, size: count))
                    try tx.insert(clip)
                }
            }
            var stack = try trial.another(schema(100))
            try insert(1, 99, stack)
            try insert(2, 100, stack)
            let isExternal = trial.subject.has(.externalData)
            try expectEqual(externalFiles(trial.storePath).count, isExternal ? 1 : 0)
            try await stack.close()
            // Another size is no change of the schema, and is for what is written from then on.
            stack = try trial.another(schema(50), migration: .refuse)
            try insert(3, 99, stack)
            try expectEqual(externalFiles(trial.storePath).count, isExternal ? 2 : 0)
            try expectEqual(
                try stack.blocking.read {
                    try $0.fetch(Request("Clip")).map { try $0.value("data", as: Data?.self)?.count }
                },
                [99, 100, 99])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "external.verify-progress", in: .external, "a check says how far it has come while it reads the files",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema)
            _ = try fill(stack)
            let seen = Journal<StoreProgress>()
            let faults = try await stack.verify(onProgress: { seen.add($0) })
            try expectEqual(faults, [])
            let records = seen.entries.map(\.records)
            try expectEqual(records, records.sorted())
            // Each record is read with its row, and again with its files where values are kept in files.
            let total = trial.subject.has(.externalData) && !trial.subject.isParted ? 16 : 8
            try expectEqual(Set(seen.entries.map(\.total)), [total])
            try expectEqual(seen.entries.last?.fraction, 1)
        },
        ConformanceCase(
            "external.verify-writes", in: .external, "writes go on while a check reads the files",
            requires: [.persistence, .externalData], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema)
            _ = try fill(stack)
            let results = Journal<Int>()
            let faults = try await stack.verify { progress in
                guard progress.records >= 8, results.entries.isEmpty else { return }
                let writer = Worker("the writer") {
                    try stack.blocking.write { tx in
                        try tx.insert(Photo(id: 100, image: picture(100)))
                        _ = try tx.delete(Photo.self, 1)
                    }
                }
                if (try? writer.value()) != nil { results.add(1) }
            }
            try expectEqual(faults, [])
            try expectEqual(results.entries, [1])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "external.verify-cancelled", in: .external, "a check that reads files ends when its task is cancelled",
            requires: [.persistence, .externalData], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(Photo.schema)
            _ = try fill(stack)
            let (hasBegun, isCancelled) = (Event("the check of the files"), Event("the cancellation"))
            let task = Task(executorPreference: trial.executor) {
                try await stack.verify { progress in
                    guard progress.fraction >= 0.5, progress.fraction < 1 else { return }
                    hasBegun.set()
                    try? isCancelled.wait()
                }
            }
            try await hasBegun.happened()
            task.cancel()
            isCancelled.set()
            try await expectAsyncError(.cancelled) { _ = try await task.value }
            try expectEqual(try stack.blocking.verify(), [])
        },
    ]
}

/// Writes photos of every size, two of them with the same content.
private func fill(_ stack: Stack) throws -> [Photo] {
    var all = (1...8).map { number in
        Photo(
            id: Int64(number), name: "\(number)", image: number % 4 == 0 ? nil : picture(number, size: number * 6_000),
            raw: picture(-number, size: number * 5_000))
    }
    all[6].image = all[7].raw
    _ = try stack.blocking.write { [all] in try $0.insert(all) }
    return all
}

private func externalFiles(_ store: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: store + "/external")) ?? []
    return names.filter { $0.utf8.count >= 64 }
}
