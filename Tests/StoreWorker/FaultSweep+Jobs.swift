#if os(Linux)
    import ConformanceKit
    import Foundation
    import GranaryCore
    import GranaryImport
    import GranarySeeds
    import GranaryStoreKit
    import GranaryTool
    import StoreSubjects

    /// What is done to the stores of a trial, and what must be there afterwards.
    extension FaultSweep {
        private static let (records, seeded) = (40, 10)

        private var hasPhotos: Bool { [.photosMigrate, .photosReset, .photosCopy].contains(job) }
        private var store: String { work + "/Store.granary" }
        private var seedPath: String { work + "/Seed.granary" }
        private var copyPath: String { work + "/Copy.granary" }
        private var asidePath: String { store + ".aside-1" }
        private var jsonPath: String { work + "/Seed.json" }

        private var schema: Schema { MigrationWorker.schema(isRequired: false, hasPhotos: hasPhotos) }
        /// Records are rewritten for it.
        private var requiredSchema: Schema { MigrationWorker.schema(isRequired: true, hasPhotos: hasPhotos) }
        /// What the plan's last step reaches.
        private var plannedSchema: Schema {
            var entities = MigrationWorker.alteredSchema.entities
            entities[0].attributes = entities[0].attributes.map { attribute in
                var attribute = attribute
                if attribute.name == "rank" { attribute.isOptional = false }
                return attribute
            }
            return Schema(entities: entities)
        }
        private static let plan = MigrationPlan(
            .inferred("moods").reaching(MigrationWorker.alteredSchema),
            .records("ranks", of: "Item") { old, new, _ in try new.set("rank", to: old.value("rank", as: Int64.self)) })

        func makeFiles() throws {
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            try MigrationWorker.make(kind.subject, at: store, count: Self.records, hasPhotos: hasPhotos)
            try MigrationWorker.make(kind.subject, at: seedPath, count: Self.seeded, hasPhotos: hasPhotos)
            if job == .parts {
                let stack = try Stack(Self.partedSchema, store: parts)
                try stack.blocking.write { try Self.write(1, $0) }
                try stack.blocking.close()
            }
            if job == .group { try makeGroupStore() }
            let objects = (1...Self.records).map { number in
                let other = number > 1 ? "\(number - 1)" : "null"
                return #"{"id": \#(number), "name": "item \#(number)", "rank": \#(number), "other": \#(other)}"#
            }
            try Data("{\"Item\": [\(objects.joined(separator: ", "))]}".utf8).write(to: URL(filePath: jsonPath))
        }

        private func open(
            _ path: String, _ schema: Schema? = nil, _ migration: MigrationPolicy = .refuse, seed: Seed? = nil
        ) throws -> any Store {
            let schema = schema ?? self.schema
            return try kind.provider(at: path).migrating(to: schema, migration, LongWork()) {
                try seed?.contents(for: schema, migration: .refuse)
            }
        }

        private func seed(_ path: String) -> Seed { .store(kind.provider(at: path)) }

        func perform() throws {
            switch job {
            case .migrate, .photosMigrate: return try close(open(store, requiredSchema, .inferred))
            case .alter: return try close(open(store, MigrationWorker.alteredSchema, .automatic))
            case .plan: return try close(open(store, plannedSchema, .plan(Self.plan)))
            case .aside: return try close(open(store, requiredSchema, .moveAside))
            case .seed: return try close(open(copyPath, seed: seed(store)))
            case .json: return try close(open(copyPath, seed: .json(URL(filePath: jsonPath))))
            case .destroy: return try kind.provider(at: store).destroy()
            case .parts: return try writeParts()
            case .group: return try writeGroup()
            case .reset, .reseed, .photosReset, .compact, .rebuild, .copy, .photosCopy, .backup: break
            }
            let source = try open(store)
            do {
                switch job {
                case .reset, .photosReset: try source.replaceContents(with: .empty)
                case .reseed:
                    let contents = try seed(seedPath).contents(for: schema, migration: .refuse)
                    try source.replaceContents(with: contents)
                case .compact: try source.compact()
                case .rebuild: try source.rebuildIndexes()
                case .copy, .photosCopy:
                    let contents = StoreContents { new, _ in
                        let reader = try source.beginRead(CancellationFlag())
                        defer { reader.end() }
                        try StoreTransfer(from: reader, into: new).run()
                    }
                    try close(kind.provider(at: copyPath).open(schema, migration: .refuse, contents: contents))
                case .backup: try source.backUp(to: copyPath)
                default: break
                }
            } catch {
                // It goes on with what it has, or says why it does not.
                do { try source.beginRead(CancellationFlag()).end() } catch is GranaryError {}
                try? source.close()
                throw error
            }
            try close(source)
        }

        // MARK: What is there afterwards

        /// - Throws: "old" if what was there is there, another text for what must not be.
        func check() throws {
            switch job {
            case .migrate, .photosMigrate: try checkSchema(requiredSchema)
            case .alter: try checkSchema(MigrationWorker.alteredSchema)
            case .plan:
                let found = try look(store, Self.records).fingerprint
                let isDone = found == plannedSchema.fingerprint
                guard isDone || [schema, MigrationWorker.alteredSchema].contains(where: { $0.fingerprint == found })
                else { throw SweepError("it has another schema") }
                // What is left of the plan can be done now.
                try open(store, plannedSchema, .plan(Self.plan)).close()
                _ = try look(store, Self.records, written: 1)
                if !isDone { throw SweepError("old") }
            case .aside:
                guard try kind.provider(at: asidePath).exists() == false else {
                    _ = try look(asidePath, Self.records)
                    try open(store, requiredSchema, .refuse).close()
                    _ = try look(store, 0)
                    return
                }
                _ = try look(store, Self.records)
                throw SweepError("old")
            case .compact, .rebuild: _ = try look(store, Self.records)
            case .parts: try checkParts()
            case .group: try checkGroup()
            case .reset, .photosReset: try checkRecords(store, old: Self.records, new: 0)
            case .reseed: try checkRecords(store, old: Self.records, new: Self.seeded)
            case .destroy:
                let isThere = try kind.provider(at: store).exists() == true
                try open(store).close()
                _ = try look(store, isThere ? Self.records : 0)
                if isThere { throw SweepError("old") }
            case .copy, .photosCopy, .backup, .seed, .json:
                if job != .json { _ = try look(store, Self.records) }
                // Made whole, or not at all: then it is made now.
                try open(copyPath).close()
                try checkRecords(copyPath, old: 0, new: Self.records)
            }
        }

        // MARK: Parts

        private static let partedSchema = Schema(
            entities: ["Own", "Other"].map { name in
                Entity(
                    name, key: "id",
                    attributes: [
                        Attribute("id", Int64.self), Attribute("number", Int64.self),
                        Attribute("text", String.self).searchable(),
                    ])
            })

        static func text(_ number: Int64) -> String { "all of them have word\(number) and no other" }

        private var parts: PartsProvider {
            .parts(
                kind.provider(at: work + "/Own.granary"),
                Part("other", ["Other"], in: kind.provider(at: work + "/Other.granary")))
        }

        /// Writes a number to records of both parts.
        private static func write(_ number: Int64, _ tx: Transaction) throws {
            for name in ["Own", "Other"] {
                for id in Int64(1)...20 {
                    var record = try DynamicRecord(name, in: tx.schema)
                    try record.set("id", to: id)
                    try record.set("number", to: number)
                    try record.set("text", to: text(number))
                    try tx.upsert(record)
                }
            }
        }

        private func writeParts() throws {
            let store = try parts.open(Self.partedSchema, migration: .refuse)
            do {
                let writer = try store.beginWrite()
                defer { writer.end() }
                for entity in store.schema.entities.indices {
                    for id in Int64(1)...20 {
                        try StoredRow([.integer(id), .integer(2), .string(Self.text(2))]).withRow {
                            _ = try writer.update($0, in: entity)
                        }
                    }
                }
                _ = try writer.commit()
            } catch {
                try? store.close()
                throw error
            }
            try close(store)
        }

        /// Both parts have the new number, or neither has; and both can be written to.
        private func checkParts() throws {
            let stack = try Stack(Self.partedSchema, store: parts)
            defer { try? stack.blocking.close() }
            let numbers = try stack.blocking.read { snapshot in
                try ["Own", "Other"].flatMap { name in
                    try snapshot.fetch(Request(name)).map { try $0.value("number", as: Int64.self) }
                }
            }
            guard numbers.count == 40, Set(numbers).count == 1, let number = numbers.first else {
                throw SweepError("a part lacks what the other has: \(numbers)")
            }
            // The index of words has what the records have.
            let found = try stack.blocking.read { snapshot in
                try ["Own", "Other"].map { try snapshot.count(Request($0).where("search('word\(number)')")) }
            }
            guard found == [20, 20] else { throw SweepError("searches find \(found)") }
            let faults = try stack.blocking.verify()
            guard faults == [] else { throw SweepError("faults are found: \(faults)") }
            try stack.blocking.write { try Self.write(3, $0) }
            let after = try stack.blocking.read { try $0.count(Request("Other").where("number == 3")) }
            guard after == 20 else { throw SweepError("what was written afterwards is missing") }
            if number == 1 { throw SweepError("old") }
        }

        private func checkSchema(_ changed: Schema) throws {
            let found = try look(store, Self.records)
            guard found.fingerprint != changed.fingerprint else { return }
            throw SweepError(found.fingerprint == schema.fingerprint ? "old" : "it has a third schema")
        }

        private func checkRecords(_ path: String, old: Int, new: Int) throws {
            let stack = try Stack(store: kind.provider(at: path))
            let count = try stack.blocking.read { try $0.count(Request("Item")) }
            try stack.blocking.close()
            guard count == old || count == new else {
                throw SweepError("neither what was there nor what was to be: \(count) records")
            }
            _ = try look(path, count)
            if count == old { throw SweepError("old") }
        }

        /// Looks at a whole store, writes to it, and returns its schema.
        ///
        /// - Parameter written: The records that were written besides, when it was looked at before.
        private func look(_ path: String, _ count: Int, written: Int = 0) throws -> Schema {
            let stack = try Stack(store: kind.provider(at: path))
            defer { try? stack.blocking.close() }
            func require(_ condition: Bool, _ what: String) throws {
                guard condition else { throw SweepError("\(path): \(what)") }
            }
            let faults = try stack.blocking.verify()
            try require(faults == [], "faults are found: \(faults.first ?? "")")
            try stack.blocking.read { snapshot in
                let records = try snapshot.fetch(
                    Request("Item").where("name BEGINSWITH \"item \"").sorted(by: "id"))
                try require(
                    snapshot.count(Request("Item")) == count + written && records.count == count,
                    "records are missing")
                for (number, record) in zip(1..., records) {
                    try require(MigrationWorker.isItem(record, number), "record \(number) is not as it was")
                }
            }
            try stack.blocking.write { tx in
                var item = try DynamicRecord("Item", in: tx.schema)
                try item.set("name", to: "after \(written)")
                try tx.insert(item)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            try require(names.count { $0.hasPrefix("gen-") } == 1, "generations are left over")
            return stack.schema
        }
    }
#endif
