import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

private let samples = [
    Sample(id: 1, int8: 5, int16: 50, integer: 10, double: 1.5, decimal: Decimal(string: "2.5"), text: "a"),
    Sample(id: 2, int8: 100, integer: 200), Sample(id: 3, text: "c"),
]

var computingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "records.compute", in: .records, "`updateAll` sets fields to what is computed of each record as it was"
        ) { trial in
            try trial.insert(samples)
            try trial.write { transaction in
                let count = try Sample.all.updateAll(in: transaction) {
                    $0.set(\.integer, to: $0.integer * 2 + 1)
                    $0.set(\.double, to: $0.integer.asDouble)
                    $0.set(\.decimal, to: $0.decimal * $0.integer)
                    $0.int8 += 1
                    $0.set(\.text, to: $0.text ?? "none")
                }
                try expectEqual(count, 3)
            }
            try expectEqual(
                try trial.fetch(Sample.all),
                [
                    Sample(id: 1, int8: 6, int16: 50, integer: 21, double: 10, decimal: 25, text: "a"),
                    Sample(id: 2, int8: 101, integer: 401, double: 200, text: "none"), Sample(id: 3, text: "c"),
                ])
            try trial.write { transaction in
                let two = Sample.where { $0.id <= 2 }
                _ = try two.updateAll(in: transaction) {
                    $0.set(\.int8, to: $0.int16)
                    $0.set(\.int16, to: $0.int8)
                }
                _ = try two.updateAll(in: transaction) {
                    $0.set(\.integer, to: 5)
                    $0.integer -= 2
                    $0.set(\.uint8, to: $0.integer % 100)
                    $0.uint8 += 1
                }
                let named = try Request("Sample").where("id == 1").updateAll(
                    setting: ["flag": .integer(1)], adding: ["int8": .integer(1)],
                    computing: ["double": try AnyExpression(parsing: "abs(double) / 4")], in: transaction)
                try expectEqual(named, 1)
            }
            try expectEqual(
                try trial.fetch(Sample.all),
                [
                    Sample(
                        id: 1, flag: true, int8: 51, int16: 6, integer: 3, uint8: 22, double: 2.5, decimal: 25,
                        text: "a"),
                    Sample(id: 2, int16: 101, integer: 3, uint8: 2, double: 200, text: "none"),
                    Sample(id: 3, text: "c"),
                ])
        },
        ConformanceCase(
            "records.compute-refused", in: .records, "a computed value that a field cannot hold fails the whole call"
        ) { trial in
            let records = samples + [Sample(id: 4, integer: .max)]
            try trial.insert(records)
            func refused(
                _ code: GranaryError.Code, _ name: String?, _ changes: (inout Changes<Sample>) -> Void
            ) throws {
                try trial.write { transaction in
                    try expectError(code, entity: "Sample", attributes: name.map { [$0] }) {
                        try Sample.all.updateAll(in: transaction) {
                            $0.set(\.text, to: "never")
                            changes(&$0)
                        }
                    }
                    try expectEqual(try transaction.fetch(Sample.all), records)
                }
            }
            try refused(.range, "int8") { $0.set(\.int8, to: $0.integer) }
            try refused(.range, "uint8") { $0.set(\.uint8, to: $0.id - 3) }
            try refused(.overflow, nil) { $0.set(\.integer, to: $0.integer + 1) }
            try refused(.overflow, "int8") {
                $0.set(\.int8, to: $0.id + 120)
                $0.int8 += 5
            }
            try refused(.invalidQuery, "id") { $0.set(\.id, to: $0.id + 1) }
            try trial.write { transaction in
                let query = Request("Sample")
                try expectError(.typeMismatch, entity: "Sample", attributes: ["integer"]) {
                    try query.updateAll(computing: ["integer": .attribute("text")], in: transaction)
                }
                try expectError(.typeMismatch, entity: "Sample", attributes: ["decimal"]) {
                    try query.updateAll(computing: ["decimal": .attribute("double")], in: transaction)
                }
                try expectError(.unknownAttribute, entity: "Sample") {
                    try query.updateAll(computing: ["nothing": .attribute("double")], in: transaction)
                }
                try expectError(.invalidQuery, entity: "Sample") {
                    try query.updateAll(computing: ["id": .value(.integer(1))], in: transaction)
                }
            }
            try expectEqual(try trial.fetch(Sample.all), records)
        },
        ConformanceCase(
            "records.compute-paths", in: .records, "what is computed may lead through references and relationships"
        ) { trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                _ = try Song.all.updateAll(in: transaction) {
                    $0.set(\.title, to: $0.album.title ?? "none")
                    $0.set(\.cents, to: $0.price * $0.seconds)
                    $0.set(\.genre, to: $0.album.artist.genre)
                }
                _ = try Album.all.updateAll(in: transaction) { $0.set(\.year, to: $0.songs.count) }
                try expectError(.range, entity: "Song", attributes: ["cents"]) {
                    try Song.all.updateAll(in: transaction) { $0.set(\.cents, to: $0.price * $0.price) }
                }
                try expectError(.required, entity: "Song", attributes: ["title"]) {
                    try Song.all.updateAll(in: transaction) { $0.set(\.title, to: $0.playlists.minimum(\.label)) }
                }
            }
            try shop.read { snapshot in
                let songs = try snapshot.fetch(Song.all)
                try expectEqual(songs.map(\.title), ["Alpha", "Alpha", "Alpha", "Beta", "Gamma", "Gamma"])
                try expectEqual(
                    songs.map(\.cents), [Shop.cents("99"), nil, nil, Shop.cents("99"), Shop.cents("600"), nil])
                try expectEqual(songs.map(\.genre), [Ref(1), Ref(1), Ref(1), Ref(1), Ref(2), Ref(2)])
                try expectEqual(try snapshot.fetch(Album.all).map(\.year), [3, 1, 2, 0])
            }
        },
        ConformanceCase(
            "records.compute-unique", in: .records, "computed values may exchange and shift unique values"
        ) { trial in
            let people = (1...4).map {
                Person(id: Int64($0), firstName: "\($0)", email: "\($0)", country: "x", number: Int($0))
            }
            try trial.insert(people)
            try trial.write { transaction in
                _ = try Person.all.updateAll(in: transaction) { $0.set(\.number, to: $0.number + 1) }
                _ = try Person.all.updateAll(in: transaction) { $0.set(\.number, to: 7 - $0.number) }
                _ = try Person.all.updateAll(in: transaction) { $0.set(\.email, to: $0.firstName) }
                try expectError(.uniqueness, entity: "Person") {
                    try Person.all.updateAll(in: transaction) { $0.set(\.number, to: $0.number / 2) }
                }
            }
            try expectEqual(try trial.fetch(Person.all).map(\.number), [5, 4, 3, 2])
        },
        ConformanceCase(
            "records.compute-version", in: .records, "a computed change raises the version of each record"
        ) { trial in
            try trial.open(Schema(Draft.self))
            try trial.insert([Draft(id: 1, title: "a", reads: 3), Draft(id: 2, title: "b", reads: 4)])
            try trial.write { transaction in
                _ = try Draft.where { $0.id == 1 }.updateAll(in: transaction) { $0.set(\.reads, to: $0.reads * 2) }
                try expectError(.invalidQuery, entity: "Draft", attributes: ["version"]) {
                    try Draft.all.updateAll(in: transaction) { $0.set(\.version, to: $0.version + 1) }
                }
            }
            try expectEqual(try trial.fetch(Draft.all).map(\.reads), [6, 4])
            try expectEqual(try trial.fetch(Draft.all).map { $0.version > 0 }, [true, false])
        },
    ]
}
