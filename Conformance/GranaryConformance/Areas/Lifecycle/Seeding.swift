import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport
import GranarySeeds

var seedingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "seed.json-lossless", in: .seed, "a seed of JSON or CSV gives every value, or nothing is created",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.close()
            let folder = trial.folder + "/Rows"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func write(_ text: String, _ name: String) throws {
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            try write("id,text,json\n1,a,\"{\"\"tags\"\":[\"\"x\"\"],\"\"depth\"\":2}\"\n", "Sample.csv")
            try write("no JSON", "._Sample.json")
            let stack = try trial.another(at: trial.folder + "/Rows.granary", seed: .json(URL(filePath: folder)))
            try expectEqual(
                try stack.blocking.read { try $0.fetch(Sample.all) },
                [Sample(id: 1, text: "a", json: JSON(Extra(tags: ["x"], depth: 2)))])
            try write("id,text,integer\n1,a,many\n", "Sample.csv")
            let error = try expectError(.typeMismatch, entity: "Sample", attributes: ["integer"]) {
                try trial.another(at: trial.folder + "/Lost.granary", seed: .json(URL(filePath: folder))).schema
            }
            try expectEqual(error.importPath, "$.Sample[0].integer")
        },
        ConformanceCase(
            "seed.new", in: .seed, "a store that does not exist has all that the seed has, and goes on from there",
            requires: [.filling]
        ) { trial in
            try trial.close()
            let source = try trial.another(WholeStore.schema, at: trial.folder + "/Seed.granary")
            try await WholeStore.fill(source)
            let records = try WholeStore.records(source)
            let seed = Seed.store(trial.subject.storeProvider(at: trial.folder + "/Seed.granary"))
            var stack = try trial.another(WholeStore.schema, seed: seed)
            try WholeStore.expectSame(stack, as: records)
            if trial.mode == .reopened {
                try await stack.close()
                stack = try trial.another(WholeStore.schema, migration: .refuse)
                try WholeStore.expectSame(stack, as: records)
            }
            try await WholeStore.expectWorking(stack, nextKey: 4)
            try WholeStore.expectSame(source, as: records)
        },
        ConformanceCase(
            "seed.other-kinds", in: .seed, "a seed may be a store of each other kind", requires: [.filling],
            modes: [.fresh]
        ) { trial in
            for peer in try trial.otherKinds() {
                let place = trial.folder + "/\(peer.name).granary"
                let source = try peer.open(WholeStore.schema, at: place)
                try await WholeStore.fill(source)
                let records = try WholeStore.records(source)
                let stack = try trial.another(
                    WholeStore.schema, at: place + ".store", seed: .store(peer.storeProvider(at: place)))
                try WholeStore.expectSame(stack, as: records)
                try await WholeStore.expectWorking(stack, nextKey: 4)
                try await source.close()
            }
        },
        ConformanceCase(
            "seed.other-kinds-reset", in: .seed,
            "a store is reset to a seed of each other kind, the one that it was made from and any other",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            for peer in try trial.otherKinds() {
                let place = trial.folder + "/\(peer.name).granary"
                let source = try peer.open(WholeStore.schema, at: place)
                try await WholeStore.fill(source)
                let records = try WholeStore.records(source)
                let seed = Seed.store(peer.storeProvider(at: place))
                let stack = try trial.another(WholeStore.schema, at: place + ".store", seed: seed)
                try expectEqual(try stack.blocking.write { try $0.insert(Counter(label: "d")).id }, 4)
                try await stack.reset(to: .seed)
                try WholeStore.expectSame(stack, as: records)
                // Keys that were assigned are not assigned again.
                try await WholeStore.expectWorking(stack, nextKey: 5)
                // A store that was made without a seed takes one of another kind.
                let empty = try trial.another(WholeStore.schema, at: place + ".empty", seed: nil)
                try await empty.close()
                let taking = try trial.another(WholeStore.schema, at: place + ".empty", seed: seed)
                try await taking.reset(to: .seed)
                try WholeStore.expectSame(taking, as: records)
                try expectEqual(try taking.blocking.verify(), [])
                // The seed has gone on since: only what takes any seed takes this one.
                try source.blocking.write { _ = try $0.insert(Counter(label: "later")) }
                try await expectAsyncError(.seedMismatch, isOwnText: true) { try await stack.reset(to: .seed) }
                try await stack.reset(to: .anySeed)
                try WholeStore.expectSame(stack, as: try WholeStore.records(source))
                try await source.close()
            }
        },
        ConformanceCase(
            "seed.either-way", in: .seed,
            "a seed gives the same store, also after a reset, whether it may be copied as it is kept or record by record",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.close()
            let place = trial.folder + "/Seed.granary"
            let source = try trial.another(WholeStore.schema, at: place)
            try await WholeStore.fill(source)
            let records = try WholeStore.records(source)
            let provider = trial.subject.storeProvider(at: place)
            for (number, seed) in [Seed.store(provider), .store(ReadSeed(provider: provider))].enumerated() {
                let stack = try trial.another(
                    WholeStore.schema, at: trial.folder + "/Seeded \(number).granary", seed: seed)
                try WholeStore.expectSame(stack, as: records)
                try expectEqual(try WholeStore.number(stack), 1)
                try expectEqual(try stack.blocking.write { try $0.insert(Counter(label: "d")).id }, 4)
                try await stack.reset(to: .seed)
                try WholeStore.expectSame(stack, as: records)
                try expectEqual(try WholeStore.number(stack), 3)
                try await WholeStore.expectWorking(stack, nextKey: 5)
            }
            try WholeStore.expectSame(source, as: records)
        },
        ConformanceCase(
            "seed.existing", in: .seed,
            "a store that exists stays as it is, also if it is empty, or the seed is missing",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            _ = try trial.stack
            try trial.close()
            try seedShelves(trial, at: "Seed", ["seeded"])
            let seeds = ["Seed", "Missing"].map {
                Seed.store(trial.subject.storeProvider(at: trial.folder + "/\($0).granary"))
            }
            for seed in seeds {
                let stack = try trial.another(seed: seed)
                try expectEqual(try WholeStore.records(stack), [:])
                try await stack.close()
            }
            try trial.another().blocking.write { _ = try $0.insert(Shelf(id: 7, name: "own")) }
            let stack = try trial.another(seed: seeds[0])
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["own"])
        },
        ConformanceCase(
            "seed.missing", in: .seed, "a seed that does not exist is an error before anything is created",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let seed = Seed.store(trial.subject.storeProvider(at: trial.folder + "/Missing.granary"))
            try expectError(.notAStore) { try trial.another(seed: seed) }
            try trial.expectNoStore()
            guard trial.subject.has(.persistence) else { return }
            try makeFolder(trial.folder + "/Foreign.granary")
            try writeFile([1, 2, 3], to: trial.folder + "/Foreign.granary/letter.txt")
            let foreign = Seed.store(trial.subject.storeProvider(at: trial.folder + "/Foreign.granary"))
            // A store in memory has no folder, and no error here.
            try expectError(.notAStore, isOwnText: true) { try trial.another(seed: foreign) }
            try expectEqual(files(trial.folder).keys.sorted(), ["", "Foreign.granary", "Foreign.granary/letter.txt"])
        },
        ConformanceCase(
            "seed.damaged", in: .seed, "a damaged seed is an error, and nothing is created",
            requires: [.filling, .persistence], modes: [.fresh]
        ) { trial in
            try seedShelves(trial, at: "Seed", (0..<2000).map { "shelf \($0)" })
            let file = try engineFile(trial.folder + "/Seed.granary")
            let whole = bytes(file)
            let seed = Seed.store(trial.subject.storeProvider(at: trial.folder + "/Seed.granary"))
            try removeFile(file)
            try writeFile(Array(whole.prefix(whole.count / 2)), to: file)
            do {
                _ = try trial.another(seed: seed)
                throw ConformanceFailure(message: "a seed that was cut off was used", file: #fileID, line: #line)
            } catch let error as GranaryError {
                try expect([.corrupt, .io].contains(error.code), "\(error)")
            }
            try trial.expectNoStore()
            try removeFile(file)
            try writeFile(whole, to: file)
            try expectEqual(try trial.another(seed: seed).blocking.read { try $0.count(Shelf.all) }, 2000)
        },
        ConformanceCase(
            "seed.newer", in: .seed, "a seed of a newer format is refused before anything is created",
            requires: [.filling, .persistence], modes: [.fresh]
        ) { trial in
            let place = trial.folder + "/Seed.granary"
            try seedShelves(trial, at: "Seed", ["a"])
            let text = "granary\nformat=2\nanything=else\n"
            try removeFile(place + "/CURRENT")
            try writeFile(Array("\(text)checksum=\(checksumOfCurrent(text))\n".utf8), to: place + "/CURRENT")
            let seed = Seed.store(trial.subject.storeProvider(at: place))
            try expectError(.newerFormat) { try trial.another(seed: seed) }
            try trial.expectNoStore()
        },
        ConformanceCase(
            "seed.exchanged", in: .seed, "a seed that is exchanged after it was looked at is read as what it is then",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let place = try seedTracks(trial)
            let provider = trial.subject.storeProvider(at: place)
            let contents = try Seed.store(provider).contents(
                for: Schema(entities: [seededTrack]), migration: .automatic)
            try provider.destroy()
            var other = seededTrack
            other.attributes.swapAt(1, 2)
            other.attributes.insert(Attribute("remark", String?.self), at: 1)
            let source = try trial.another(Schema(entities: [other]), at: place)
            try source.blocking.write { tx in
                var record = try DynamicRecord("Track", in: tx.schema)
                try record.set("title", to: "three")
                try record.set("plays", to: 30)
                try tx.insert(record)
            }
            try await source.close()
            try expectError(.schemaMismatch) {
                try trial.provider.open(Schema(entities: [seededTrack]), migration: .automatic, contents: contents)
            }
            try trial.expectNoStore()
        },
    ]
}

/// A store as a seed that does not show its own type, so that its records must be read.
private struct ReadSeed: StoreProvider {
    let provider: any StoreProvider

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try provider.open(schema, migration: migration)
    }
    func exists() throws -> Bool? { try provider.exists() }
    func openStored() throws -> any Store { ForwardedStore(try provider.openStored()) }
}

let seededTrack = Entity(
    "Track", key: "id", keyGeneration: .assigned,
    attributes: [Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int64.self)])

/// A store beside the trial's, closed, with two tracks; returns its place.
func seedTracks(_ trial: Trial) throws -> String {
    let place = trial.folder + "/Seed.granary"
    let source = try trial.another(Schema(entities: [seededTrack]), at: place)
    try source.blocking.write { tx in
        for (number, title) in ["one", "two"].enumerated() {
            var record = try DynamicRecord("Track", in: tx.schema)
            try record.set("title", to: title)
            try record.set("plays", to: (number + 1) * 10)
            try tx.insert(record)
        }
    }
    try source.blocking.close()
    return place
}

/// A store beside the trial's, closed, with a shelf for each name.
func seedShelves(_ trial: Trial, at name: String, _ names: [String]) throws {
    let stack = try trial.another(at: trial.folder + "/\(name).granary")
    try stack.blocking.write { tx in _ = try tx.insert(names.enumerated().map { Shelf(id: Int64($0), name: $1) }) }
    try stack.blocking.close()
}
