import Foundation
import Granary
import GranaryLMDB
import GranarySQLite
import GranaryTool
import TestSupport
import Testing

/// Takes the last letter of a word away.
private struct Shortened: WordTokenizer {
    static let name = "shortened"
    static let version = 1

    mutating func findWords(in text: String, _ found: WordFinding) throws {
        try text.findWords { word, place in try found(String(word.dropLast()), place) }
    }
}

/// The tool and stores with searchable attributes.
struct SearchedStoreTests {
    private func schema(_ rules: WordRules, isSearchable: Bool = true) -> Schema {
        let name = Attribute("name", String.self)
        let maker = Attribute("maker", String?.self)
        return Schema(entities: [
            Entity(
                "Item", key: "id",
                attributes: [
                    Attribute("id", Int64.self), isSearchable ? name.searchable(weight: 2) : name,
                    isSearchable ? maker.searchable("people") : maker,
                ], words: rules)
        ])
    }

    private func withStore(
        _ kind: StoreKind, _ schema: Schema, count: Int = 3, _ body: (_ path: String, _ folder: String) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder("Items.granary")
        let stack =
            kind == .lmdb
            ? try Stack(schema, store: .lmdb(atPath: path)) : try Stack(schema, store: .sqlite(atPath: path))
        try stack.blocking.write { tx in
            for number in 1...count {
                var item = try DynamicRecord("Item", in: tx.schema)
                try item.set("id", to: number)
                try item.set("name", to: "the thing with number \(number) of all that are in the store")
                try tx.insert(item)
            }
        }
        try stack.blocking.close()
        try body(path, folder(""))
    }

    private func found(_ path: String, _ search: String) throws -> Int? {
        let result = try Tool.run("query", path, "Item WHERE search('\(search)')", "--json")
        #expect(result.status == 0, "\(result.errors)")
        return result.output.components(separatedBy: "\"id\"").count - 1
    }

    @Test(arguments: Tool.kinds) func `info says how large the indexes of words are`(_ kind: StoreKind) throws {
        try withStore(kind, schema(WordRules(stopWords: .english))) { path, _ throws in
            let text = try Tool.run("info", path).output
            // "thing", "number", the number and "store" of each record: the others are stop words.
            #expect(text.contains("indexes of words  Item: 12 words of 3 records, "), "\(text)")
            let json = try #require(try Tool.run("info", path, "--json").json as? [String: Any])
            let words = try #require((json["words"] as? [[String: Any]])?.first)
            #expect(words["entity"] as? String == "Item" && words["records"] as? Int == 3)
            #expect(words["words"] as? Int == 12 && (words["bytes"] as? Int ?? 0) > 50)
        }
    }

    @Test(arguments: Tool.kinds) func `a schema is printed with groups and rules of words`(_ kind: StoreKind) throws {
        try withStore(kind, schema(WordRules(stopWords: .english))) { path, _ throws in
            let swift = try Tool.run("schema", path, "--swift").output
            #expect(swift.contains("@Record(words: WordRules(stopWords: .english))"), "\(swift)")
            #expect(swift.contains("@Searchable(weight: 2.0) var name: String"), "\(swift)")
            #expect(swift.contains("@Searchable(\"people\") var maker: String?"), "\(swift)")
            let text = try Tool.run("schema", path).output
            #expect(text.contains("words by the default rules without english stop words"), "\(text)")
            #expect(text.contains("maker: string?, searchable in people"), "\(text)")
        }
        try withStore(kind, schema(WordRules(Shortened.self))) { path, _ throws in
            let swift = try Tool.run("schema", path, "--swift").output
            #expect(swift.contains("// Not written here: words by the tokenizer \"shortened\"."), "\(swift)")
        }
    }

    @Test(arguments: Tool.kinds) func `without the tokenizer the tool names it, and loses nothing`(
        _ kind: StoreKind
    ) throws {
        try withStore(kind, schema(WordRules(Shortened.self))) { path, _ throws in
            let result = try Tool.run("query", path, "Item WHERE search('things')")
            #expect(result.status != 0)
            #expect(result.errors.contains("missingTokenizer") && result.errors.contains("\"shortened\""))
            #expect(try Tool.run("info", path).output.contains("33 words of 3 records"))
            #expect(try Tool.run("set", path, "Item", "2", "name=a thing").status == 0)
            #expect(try Tool.run("verify", path).status == 0)
            #expect(!(try Tool.run("info", path).output.contains("indexes of words")))
            let stack =
                kind == .lmdb
                ? try Stack(schema(WordRules(Shortened.self)), store: .lmdb(atPath: path))
                : try Stack(schema(WordRules(Shortened.self)), store: .sqlite(atPath: path))
            let query = try Request<DynamicRecord, DynamicRecord>("Item").where("search('thinX')")
            #expect(try stack.blocking.read { try $0.count(query) } == 3)
            #expect(try stack.blocking.verify() == [])
            try stack.blocking.close()
        }
    }

    @Test(arguments: Tool.kinds) func `a plan says how many records an index of words reads`(_ kind: StoreKind) throws {
        try withStore(kind, schema(WordRules(), isSearchable: false)) { path, folder throws in
            let file = "\(folder)/schema.json"
            try Data(try schema(WordRules()).json()).write(to: URL(filePath: file))
            let text = try Tool.run("plan", path, file).output
            #expect(text.contains("index of words: 3 records of Item are read"), "\(text)")
            let json = try #require(try Tool.run("plan", path, file, "--json").json as? [String: Any])
            #expect(json["words"] as? [String: Int] == ["Item": 3])
        }
    }

    /// The size of files is limited in place of the disk's.
    @Test(arguments: Tool.kinds) func `an index that the disk has no room for is made later`(_ kind: StoreKind) throws {
        var isLeftOut: Set<Bool> = []
        for room in [0, 40, 160, 640, 1 << 20] {
            try withStore(kind, schema(WordRules(), isSearchable: false), count: 2_000) { path, folder throws in
                let file = "\(folder)/schema.json"
                try Data(try schema(WordRules()).json()).write(to: URL(filePath: file))
                let location = try #require(
                    (try Tool.run("info", path, "--json").json as? [String: Any])?["file"] as? String)
                let size = try FileManager.default.attributesOfItem(atPath: location)[.size] as? Int ?? 0
                let said = "\(folder)/errors"
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                // In units of 512 bytes. Without the trap the signal ends a process that writes more.
                let blocks = size / 512 + room
                process.arguments = [
                    "-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" migrate \"$1\" --to \"$2\" --yes 2>\"$3\"",
                    Tool.process([]).executableURL?.path ?? "", path, file, said,
                ]
                process.standardInput = FileHandle.nullDevice
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationReason == .exit)
                if process.terminationStatus != 0 {
                    let errors = try String(contentsOfFile: said, encoding: .utf8)
                    #expect(errors.contains("full") || errors.contains("io:"), "\(room): \(errors)")
                    #expect(try Tool.run("migrate", path, "--to", file, "--yes").status == 0)
                } else {
                    isLeftOut.insert(!(try Tool.run("info", path).output.contains("indexes of words")))
                }
                #expect(try found(path, "thing 77") == 1, "room for \(room)")
                #expect(try Tool.run("verify", path).status == 0)
                // The next program that opens the store for writing makes the index.
                #expect(try Tool.run("set", path, "Item", "2", "name=a thing").status == 0)
                #expect(try Tool.run("info", path).output.contains("of 2000 records"))
                #expect(try found(path, "thing 77") == 1)
                #expect(try found(path, "\"a thing\"") == 1)
                #expect(try Tool.run("verify", path).status == 0)
            }
        }
        #expect(isLeftOut.contains(false), "some indexes have room")
    }
}
