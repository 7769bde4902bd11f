import ConformanceKit
import Foundation
import GranaryCore

// Large values of external attributes. What is read is the same in every store; the files are looked at where there are any.

/// The names of the files of external values of a store; nil where the store keeps them in its rows.
private func contents(_ trial: Trial, at path: String? = nil) -> Set<String>? {
    guard trial.subject.has(.externalData) else { return nil }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: (path ?? trial.storePath) + "/external")) ?? []
    return Set(names.filter { $0.utf8.count == 64 })
}

private func expectFiles(_ count: Int, _ trial: Trial, file: String = #fileID, line: Int = #line) throws {
    guard let found = contents(trial) else { return }
    try expectEqual(found.count, count, file: file, line: line)
}

private func photos(_ id: String, _ summary: String, _ body: @escaping @Sendable (Trial) async throws -> Void)
    -> ConformanceCase
{
    ConformanceCase("external.\(id)", in: .external, summary) { trial in
        try trial.open(Photo.schema)
        try await body(trial)
        try expectEqual(try trial.stack.blocking.verify(), [])
    }
}

var externalCases: [ConformanceCase] {
    roundTripCases + queryingCases + removingCases + schemaCases
}

private var roundTripCases: [ConformanceCase] {
    [0, 1, 63, 64, 65, Attribute.externalSize - 1, Attribute.externalSize, Attribute.externalSize + 1, 300_000].map {
        size in
        photos("size-\(size)", "a value of \(size) bytes comes back as it was written") { trial in
            let photo = Photo(id: 1, name: "a", image: picture(1, size: size), raw: picture(2, size: size))
            try trial.insert([photo])
            try expectEqual(try trial.find(Photo.self, 1), photo)
            try expectFiles(size >= Attribute.externalSize ? 2 : 0, trial)
        }
    } + [
        photos("nil", "nil and an empty value are two things") { trial in
            try trial.insert([Photo(id: 1), Photo(id: 2, image: Data())])
            try expectEqual(try trial.fetch(Photo.all).map(\.image), [nil, Data()])
            try expectFiles(0, trial)
        },
        photos("looks-like-reference", "a small value that looks like a reference to a file is a value") { trial in
            var value = Data("granary external".utf8)
            value.append(Data(repeating: 7, count: 48))
            try trial.insert([Photo(id: 1, image: value, raw: value + [0])])
            let found = try trial.find(Photo.self, 1)
            try expectEqual(found?.image, value)
            try expectEqual(found?.raw, value + [0])
        },
        photos("many", "many records are read in order, each with its own values") { trial in
            let all = (1...30).map { Photo(id: Int64($0), name: "\($0 % 3)", image: picture($0), raw: picture(-$0)) }
            try trial.insert(all)
            try expectEqual(try trial.fetch(Photo.all), all)
            try expectEqual(
                try trial.fetch(Photo.where { $0.name == "1" }.sorted(by: \.id, .descending).limit(3)),
                [all[27], all[24], all[21]])
            try expectFiles(60, trial)
        },
        photos("same-content", "equal values of several records and attributes are one file") { trial in
            let value = picture(5)
            try trial.insert((1...4).map { Photo(id: $0, image: value, raw: value) })
            try expectFiles(1, trial)
            _ = try trial.write { try $0.delete(Photo.self, 1) }
            try expectEqual(try trial.find(Photo.self, 2)?.image, value)
            try expectFiles(1, trial)
            _ = try trial.write { try Photo.all.deleteAll(in: $0) }
            try expectFiles(0, trial)
        },
        photos("large", "a value of 3 MB is kept") { trial in
            let value = picture(9, size: 3_000_001)
            try trial.insert([Photo(id: 1, image: value)])
            try expectEqual(try trial.find(Photo.self, 1)?.image, value)
        },
        photos("own-writes", "a transaction reads what it has written, by key, query and column") { trial in
            try trial.write { tx in
                try tx.insert(Photo(id: 1, image: picture(1)))
                try expectEqual(try tx.find(Photo.self, 1)?.image, picture(1))
                try tx.update(Photo(id: 1, image: picture(2)))
                try expectEqual(try tx.fetch(Photo.all).map(\.image), [picture(2)])
                try expectEqual(try tx.fetch(Request("Photo"))[0]["image"], .bytes([UInt8](picture(2))))
            }
            try expectEqual(try trial.find(Photo.self, 1)?.image, picture(2))
            try expectFiles(1, trial)
        },
    ]
}

private func refused(
    _ id: String, _ summary: String, _ ask: @escaping @Sendable (Snapshot) throws -> Void
) -> ConformanceCase {
    photos("refuses-\(id)", summary) { trial in
        try trial.insert([Photo(id: 1, image: picture(1))])
        let error = try expectError(.invalidQuery) { try trial.read(ask) }
        try expectEqual(error.entity, "Photo")
        try expectEqual(error.attributes.count, 1)
    }
}

private var queryingCases: [ConformanceCase] {
    [
        photos("is-nil", "a condition asks whether the value is nil") { trial in
            try trial.insert([Photo(id: 1), Photo(id: 2, image: picture(2)), Photo(id: 3, image: Data())])
            try expectEqual(try trial.keys(Photo.where { $0.image == nil }), [1])
            try expectEqual(try trial.keys(Photo.where { $0.image != nil }), [2, 3])
            try expectEqual(try trial.keys(Photo.where { !($0.image == nil) && $0.id > 2 }), [3])
            try expectEqual(try trial.read { try $0.count(Photo.where { $0.image != nil }) }, 2)
        },
        photos("is-nil-through", "a condition asks it through a relationship") { trial in
            try trial.write { tx in
                try tx.insert(Photo(id: 1, image: picture(1)))
                try tx.insert(Photo(id: 2))
                try tx.insert([Caption(id: 1, photo: 1), Caption(id: 2, photo: 2), Caption(id: 3)])
            }
            let query = Request("Caption").where(.compare("photo.image", .notEqual, .null))
            try expectEqual(try trial.read { try $0.fetch(query).map(\.key) }, [.integer(1)])
        },
        photos("column", "the value is a column, also through a relationship") { trial in
            try trial.write { tx in
                try tx.insert(Photo(id: 1, image: picture(1)))
                try tx.insert(Photo(id: 2))
            }
            try expectEqual(
                try trial.read { try $0.fetch(Photo.all.select { ($0.id, $0.image) }).map(\.1) }, [picture(1), nil])
            try expectEqual(try trial.read { try $0.fetch(Photo.all.select { $0.name }) }, ["", ""])
        },
        refused("equality", "its content is not compared") { _ = try $0.fetch(Photo.where { $0.image == Data([1]) }) },
        refused("inequality", "its content is not compared for being another") {
            _ = try $0.fetch(Photo.where { $0.raw != Data([1]) })
        },
        refused("list", "its content is not looked for in a list") {
            _ = try $0.count(Photo.where { $0.raw.in([Data([1]), Data([2])]) })
        },
        refused("order", "nothing is ordered by it") { _ = try $0.fetch(Photo.sorted(by: \.raw)) },
        refused("attributes", "two external attributes are not compared") {
            _ = try $0.fetch(Photo.where { $0.raw == $0.raw })
        },
        refused("distinct", "it is no distinct column") { _ = try $0.fetch(Photo.all.select { $0.raw }.distinct()) },
    ]
}

private var removingCases: [ConformanceCase] {
    [
        photos("update", "a value that is replaced is gone, and the new one is there") { trial in
            try trial.insert([Photo(id: 1, image: picture(1), raw: picture(2))])
            _ = try trial.write { try $0.update(Photo(id: 1, image: picture(3), raw: picture(2))) }
            try expectEqual(try trial.find(Photo.self, 1)?.image, picture(3))
            try expectFiles(2, trial)
            _ = try trial.write { try $0.update(Photo(id: 1, image: nil, raw: Data([1]))) }
            try expectEqual(try trial.find(Photo.self, 1), Photo(id: 1, image: nil, raw: Data([1])))
            try expectFiles(0, trial)
        },
        photos("upsert", "an upsert replaces the value") { trial in
            for number in 1...3 { _ = try trial.write { try $0.upsert(Photo(id: 1, image: picture(number))) } }
            try expectEqual(try trial.find(Photo.self, 1)?.image, picture(3))
            try expectFiles(1, trial)
        },
        photos("unchanged", "an update to the same value keeps the file, and is no change") { trial in
            try trial.insert([Photo(id: 1, image: picture(1))])
            let before = contents(trial)
            let number = try trial.read { $0.transactionNumber }
            _ = try trial.write { try $0.update(Photo(id: 1, image: picture(1))) }
            try expectEqual(contents(trial), before)
            try expectEqual(try trial.read { $0.transactionNumber }, number)
        },
        photos("update-all", "a set of records gets a value by one statement") { trial in
            try trial.insert((1...3).map { Photo(id: $0, image: picture(Int($0))) })
            _ = try trial.write { try Photo.where { $0.id < 3 }.updateAll(in: $0) { $0.set(\.image, to: picture(7)) } }
            try expectEqual(try trial.fetch(Photo.all).map(\.image), [picture(7), picture(7), picture(3)])
            try expectFiles(2, trial)
        },
        photos("delete-all", "deleting a set removes its files") { trial in
            try trial.insert((1...5).map { Photo(id: $0, image: picture(Int($0))) })
            _ = try trial.write { try Photo.where { $0.id > 1 }.deleteAll(in: $0) }
            try expectEqual(try trial.find(Photo.self, 1)?.image, picture(1))
            try expectFiles(1, trial)
        },
        photos("rolled-back", "a transaction that throws leaves no file, and removes none") { trial in
            try trial.insert([Photo(id: 1, image: picture(1))])
            try expectError(.cancelled) {
                try trial.write { tx in
                    try tx.insert(Photo(id: 2, image: picture(2)))
                    _ = try tx.delete(Photo.self, 1)
                    throw GranaryError(.cancelled, "Undo it.")
                }
            }
            try expectEqual(try trial.fetch(Photo.all), [Photo(id: 1, image: picture(1))])
            try expectFiles(1, trial)
        },
        photos("savepoint", "what is undone to a savepoint leaves no file") { trial in
            try trial.write { tx in
                try tx.insert(Photo(id: 1, image: picture(1)))
                _ = try? tx.savepoint {
                    try tx.insert(Photo(id: 2, image: picture(2)))
                    _ = try tx.delete(Photo.self, 1)
                    throw GranaryError(.cancelled, "Undo it.")
                }
            }
            try expectEqual(try trial.fetch(Photo.all), [Photo(id: 1, image: picture(1))])
            try expectFiles(1, trial)
        },
        photos("insert-then-delete", "a record inserted and deleted in one transaction leaves no file") { trial in
            try trial.write { tx in
                try tx.insert(Photo(id: 1, image: picture(1)))
                _ = try tx.delete(Photo.self, 1)
                try tx.insert(Photo(id: 2, image: picture(2)))
            }
            try expectFiles(1, trial)
            try expectEqual(try trial.fetch(Photo.all).map(\.id), [2])
        },
        photos("move", "a content that goes from one record to another stays") { trial in
            try trial.insert([Photo(id: 1, image: picture(1))])
            try trial.write { tx in
                _ = try tx.delete(Photo.self, 1)
                try tx.insert(Photo(id: 2, raw: picture(1)))
            }
            try expectEqual(try trial.find(Photo.self, 2)?.raw, picture(1))
            try expectFiles(1, trial)
        },
        photos("again", "a content that was removed can be written again") { trial in
            for _ in 1...3 {
                try trial.insert([Photo(id: 1, image: picture(1))])
                try expectEqual(try trial.find(Photo.self, 1)?.image, picture(1))
                _ = try trial.write { try $0.delete(Photo.self, 1) }
                try expectFiles(0, trial)
            }
        },
        photos("older-reader", "a reader of an older state still reads the value that a commit removed") { trial in
            try trial.insert([Photo(id: 1, image: picture(1))])
            let stack = try trial.stack
            try stack.blocking.read { old in
                let worker = Worker("the writer") { _ = try stack.blocking.write { try $0.delete(Photo.self, 1) } }
                try worker.value()
                try expectEqual(try old.find(Photo.self, 1)?.image, picture(1))
                try expectEqual(try old.fetch(Photo.all).count, 1)
            }
            // What waited for the reader goes with the next commit.
            try trial.insert([Photo(id: 2, image: picture(2))])
            _ = try trial.write { try $0.delete(Photo.self, 2) }
            try expectFiles(0, trial)
        },
        photos("two-stacks", "two stacks that write the same content have one file") { trial in
            let other =
                try trial.subject.capabilities.contains(.persistence) ? trial.another(Photo.schema) : trial.stack
            try trial.insert([Photo(id: 1, image: picture(1))])
            _ = try other.blocking.write { try $0.insert(Photo(id: 2, image: picture(1))) }
            _ = try trial.write { try $0.delete(Photo.self, 1) }
            try expectEqual(try other.blocking.read { try $0.find(Photo.self, 2) }?.image, picture(1))
            try expectFiles(1, trial)
            _ = try other.blocking.write { try $0.delete(Photo.self, 2) }
            try expectFiles(0, trial)
        },
        ConformanceCase(
            "external.damage", in: .external,
            "a damaged or missing file is an error that names the record; others are read, and verify tells of it",
            requires: [.persistence, .externalData], modes: [.fresh]
        ) { trial in
            let stack = try trial.open(Photo.schema)
            for (number, damage) in ["missing", "damaged", "cut"].enumerated() {
                let key = Int64(2 * number + 1)
                let before = contents(trial) ?? []
                try trial.insert([Photo(id: key, image: picture(number + 10))])
                guard let name = contents(trial)?.subtracting(before).first else {
                    throw GranaryError(.corrupt, "no file")
                }
                try trial.insert([Photo(id: key + 1, image: picture(number + 20))])
                let path = "\(trial.storePath)/external/\(name)"
                var content = bytes(path)
                content[7] ^= 1
                try removeFile(path)
                if damage != "missing" {
                    try writeFile(damage == "cut" ? Array(content.dropLast()) : content, to: path)
                }
                let error = try expectError(.corrupt) { try stack.blocking.read { try $0.find(Photo.self, key) } }
                try expectEqual(error.entity, "Photo")
                try expectEqual(error.attributes, ["image"])
                try expectEqual(error.key, .integer(key))
                try expectEqual(
                    try stack.blocking.read {
                        try $0.find(Photo.self, key + 1)
                    }?.image, picture(number + 20))
                try expectEqual(
                    try stack.blocking.read {
                        try $0.fetch(Photo.where { $0.id == key }.select { $0.name })
                    }, [""])
                try expectEqual(try stack.blocking.verify().count, 1)
                // Writing the content again, in the record or in another, mends the file for all records.
                var keys = [key, 100 + key]
                if trial.subject.writesThroughContexts {
                    // A context reads the record before it replaces it: only another record mends the file.
                    let refusal = try expectError(.corrupt) {
                        try stack.blocking.write { try $0.upsert(Photo(id: key, image: picture(number + 10))) }
                    }
                    try expectEqual(refusal.key, .integer(key))
                    keys.removeFirst()
                }
                for (place, writing) in keys.enumerated() {
                    if place > 0 { try removeFile(path) }
                    _ = try stack.blocking.write { try $0.upsert(Photo(id: writing, image: picture(number + 10))) }
                    try expectEqual(
                        try stack.blocking.read {
                            try $0.find(Photo.self, key)
                        }?.image, picture(number + 10))
                    try expectEqual(try stack.blocking.verify(), [])
                }
            }
        },
        ConformanceCase(
            "external.unused", in: .external, "a file that no record names is told of by verify",
            requires: [.persistence, .externalData], modes: [.fresh]
        ) { trial in
            let stack = try trial.open(Photo.schema)
            try trial.insert([Photo(id: 1, image: picture(1))])
            let name = String(repeating: "ab", count: 32)
            try writeFile([1, 2, 3], to: "\(trial.storePath)/external/\(name)")
            try expectEqual(try stack.blocking.verify().count, 1)
            // A marker that no process has locked says that one has ended.
            try writeFile([], to: "\(trial.storePath)/external/writer-1")
            try trial.reopen()
            try expectEqual(try trial.stack.blocking.verify(), [])
            try expectFiles(1, trial)
            try expectEqual(try trial.find(Photo.self, 1)?.image, picture(1))
        },
    ]
}

private func invalid(
    _ id: String, _ summary: String, _ change: @escaping @Sendable (inout Entity) -> Void
) -> ConformanceCase {
    ConformanceCase("external.\(id)", in: .external, summary, modes: [.fresh]) { trial in
        var entity = Photo.entity
        change(&entity)
        let error = try expectError(.invalidSchema) { try trial.open(Schema(entities: [entity])) }
        try expectEqual(error.entity, "Photo")
        try expectEqual(error.attributes.count, 1)
    }
}

private var schemaCases: [ConformanceCase] {
    [
        invalid("indexed", "an external attribute cannot be indexed") { $0.indexes.append(.index("name", "raw")) },
        invalid("unique", "an external attribute cannot be unique") { $0.indexes.append(.unique("image")) },
        invalid("text", "only Data can be external") { $0.attributes[1] = $0.attributes[1].external() },
        ConformanceCase("external.json", in: .external, "the schema as JSON has it", modes: [.fresh]) { _ in
            let schema = Photo.schema
            let again = try Schema(json: schema.json())
            try expectEqual(again, schema)
            try expectEqual(again.entities[0].attributes.map(\.isExternal), [false, false, true, true])
            let plain = Photo.plainSchema
            try expect(plain.fingerprint != schema.fingerprint, "the fingerprints differ")
            try expectEqual(SchemaDifference(from: plain, to: schema).cost, .rewriting)
        },
    ]
}
