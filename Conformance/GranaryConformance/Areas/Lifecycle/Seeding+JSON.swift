import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport
import GranarySeeds

// Seeds that are one file with a list for each entity.

var seedingJSONCases: [ConformanceCase] {
    [
        ConformanceCase(
            "seed.json-lists", in: .seed,
            "a file has lists of entities in any order, of any size, and an error has its place and line",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.close()
            let file = trial.folder + "/Seed.json"
            let schema = SuiteSchema.shop
            // Ada's genre is the last of the file: its list has more than one batch.
            let genres = (1...1200).map { #"{"id": \#($0), "label": "g \#($0)"}"# }.joined(separator: ",\n")
            func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
            let artists = #""Artist": [{"id": 1, "label": "Ada", "genre": 1200}, {"id": 2, "label": "Bo", "genre": 1}]"#
            try write("{\(artists), \"Song\": [],\n\"Genre\": [\(genres)]}\n")
            let stack = try trial.another(
                schema, at: trial.folder + "/Seeded.granary", seed: .json(URL(filePath: file)))
            try expectEqual(
                try stack.blocking.read { try $0.fetch(Artist.sorted(by: \.id)).map(\.genre) }, [Ref(1200), Ref(1)])
            try expectEqual(try stack.blocking.read { try $0.count(Genre.all) }, 1200)
            try await stack.reset(to: .seed)
            try expectEqual(try stack.blocking.read { try $0.count(Genre.all) }, 1200)

            try write("{\"Song\": [],\n\"Genre\": [\(genres),\n{\"id\": 1201, \"label\": []}]}")
            let wrong = try expectError(.typeMismatch, entity: "Genre", attributes: ["label"]) {
                try trial.another(schema, at: trial.folder + "/Lost.granary", seed: .json(URL(filePath: file))).schema
            }
            try expectEqual(wrong.importPath, "$.Genre[1200].label")
        },
        ConformanceCase(
            "seed.json-refused", in: .seed, "a file that is no object of lists creates nothing",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.close()
            let file = trial.folder + "/Seed.json"
            for (text, code, part) in [
                ("", .invalidInput, ""), ("[]", .invalidInput, "is an array"), ("7", .invalidInput, "is a number"),
                (#"{"Shelf": [], "Note": {}}"#, .invalidInput, "an object at Note"),
                (#"{"Shelf": null}"#, .invalidInput, "null at Shelf"), (#"{"Shelf": [] "#, .invalidInput, ""),
                (#"{"Shelf": []} {}"#, .invalidInput, ""), (#"{"Shelf": [{"id": 1,}]}"#, .invalidInput, ""),
                (#"{"Shelf": [], "Nothing": []}"#, .unknownEntity, "Nothing"),
            ] as [(String, GranaryError.Code, String)] {
                try Data(text.utf8).write(to: URL(filePath: file))
                let error = try expectError(code) {
                    try trial.another(at: trial.folder + "/Lost.granary", seed: .json(URL(filePath: file))).schema
                }
                try expect(part.isEmpty || error.message.contains(part), "\(text): \(error.message)")
                try trial.expectNoStore(at: trial.folder + "/Lost.granary")
            }
        },
    ]
}
