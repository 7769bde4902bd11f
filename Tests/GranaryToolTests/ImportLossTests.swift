import Foundation
import GranaryTool
import Testing

/// What `import` leaves out is in its report, with its place, and in its exit code.
struct ImportLossTests {
    private func run(
        _ store: MusicStore, _ entity: String, _ name: String, _ text: String, _ options: String...
    ) throws -> (status: Int32, report: [String: Any], errors: String) {
        let path = "\(store.folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        let result = try Tool.run(["import", store.path, entity, path, "--json"] + options, program: "granary")
        return (result.status, result.json as? [String: Any] ?? [:], result.errors)
    }

    private func places(_ report: [String: Any], _ name: String) -> [String] {
        (report[name] as? [[String: Any]] ?? []).map { "\($0["path"] ?? "") \($0["line"] ?? "")" }
    }

    @Test(arguments: Tool.kinds) func `rows after a quote that is not closed are imported`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let text = "code,name\na,A\nb,\"B\nc,C\nd,D\ne,\"E\"x\nf,F\n"
            let (status, report, errors) = try run(store, "Genre", "open.csv", text, "--keep-going")
            #expect(status == 65 && report["inserted"] as? Int == 4 && report["failed"] as? Int == 2, "\(errors)")
            #expect(places(report, "issues") == ["$[1].name 3", "$[4].name 6"])
        }
    }

    @Test(arguments: Tool.kinds) func `an object with a key twice is left out, and what cannot be read is said`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let twice = #"{"code": "b", "name": "B", "name": "x"}"#
            let text = #"[{"code": "a", "name": "A"}, \#(twice), {"code": "c", "name": "C"}, "#
            let (status, report, _) = try run(
                store, "Genre", "twice.json", text + #"{"code": "d", "name": "D"}]"#, "--keep-going")
            #expect(status == 65 && report["inserted"] as? Int == 3 && report["failed"] as? Int == 1)
            #expect(places(report, "issues") == ["$[1].name 1"])
            let broken = text + #"{"code": "e", nonsense}]"#
            let (ended, cut, _) = try run(store, "Genre", "cut.json", broken, "--keep-going")
            #expect(ended == 65 && cut["failed"] as? Int == 2)
            #expect((cut["issues"] as? [[String: Any]])?.map { $0["isRestUnread"] as? Bool } == [false, true])
            let said = try Tool.run("import", store.path, "Genre", "\(store.folder)/cut.json", "--keep-going")
            #expect(said.errors.contains("The rest of the file was not read."), "\(said.errors)")
        }
    }

    @Test(arguments: Tool.kinds) func `what is left out of records is counted, with exit code 65`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let text = "id,rating,genre\n1,much,rock\n2,3,none\n"
            let (status, report, errors) = try run(store, "Artist", "values.csv", text)
            #expect(status == 65 && report["valuesLeftOut"] as? Int == 2, "\(errors)")
            #expect(places(report, "issues").sorted() == ["$[0].rating 2", "$[1].genre 3"])
            let file = "\(store.folder)/values.csv"
            let said = try Tool.run("import", store.path, "Artist", file)
            #expect(said.output.contains("left out"), "\(said.output)")
        }
    }

    @Test(arguments: Tool.kinds) func `objects of one record are counted, each once`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let text = "code,name\na,A\nb,B\na,C\nb,B\n"
            let (status, report, errors) = try run(store, "Genre", "twice.csv", text)
            #expect(status == 0 && report["inserted"] as? Int == 2 && report["repeated"] as? Int == 2, "\(errors)")
            #expect(places(report, "repeatedObjects") == ["$[2] 4", "$[3] 5"])
        }
    }

    @Test(arguments: Tool.kinds) func `of two columns with one meaning the name itself counts`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            for (name, text) in [
                ("a.csv", "code,name,NAME\na,right,other\n"), ("b.csv", "code,Na_me,name\na,other,right\n"),
                ("c.json", #"[{"code": "a", "name": "right", "NAME": null}]"#),
                ("d.jsonl", #"{"code": "a", "NAME": "other", "name": "right"}"#),
            ] {
                let (status, report, errors) = try run(store, "Genre", name, text)
                let unknown = (report["unknownKeys"] as? [String: [String]])?["Genre"]
                #expect(status == 0 && (unknown == ["NAME"] || unknown == ["Na_me"]), "\(name) \(errors)")
                let found = try Tool.run("get", store.path, "Genre", "a", "--json")
                #expect(found.output.contains("right"), "\(name): \(found.output)")
                #expect(try run(store, "Genre", name, text, "--strict").status == 65, "\(name)")
            }
        }
    }

    @Test(arguments: Tool.kinds) func `dates that can be read in two ways are refused`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            for value in [#""03/08/2003""#, #""31/12/2003""#, "1714566600000", "20240501", #""1714566600000""#] {
                let text = #"[{"id": 2, "born": \#(value)}]"#
                let (status, report, errors) = try run(store, "Artist", "dates.json", text)
                #expect(status == 65 && report["valuesLeftOut"] as? Int == 1, "\(value) \(errors)")
            }
            for value in ["1714566600", "0", "-86400", "1714566600000.0", #""2003-08-03""#] {
                let text = #"[{"id": 2, "born": \#(value)}]"#
                let (status, report, errors) = try run(store, "Artist", "dates.json", text)
                #expect(status == 0 && report["issueCount"] as? Int == 0, "\(value) \(errors)")
            }
        }
    }

    @Test(arguments: Tool.kinds) func `a mirror deletes at most what is allowed, and nothing for empty files`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            func mirror(_ name: String, _ text: String, _ options: String...) throws -> (Int32, Int?) {
                let path = "\(store.folder)/\(name)"
                try Data(text.utf8).write(to: URL(filePath: path))
                let arguments =
                    ["import", store.path, "Artist", path, "--policy", "mirror", "--yes", "--json"] + options
                let result = try Tool.run(arguments, program: "granary")
                return (result.status, (result.json as? [String: Any])?["deleted"] as? Int)
            }
            for (name, text) in [("a.json", "[]"), ("b.csv", "id,name\n"), ("c.jsonl", "")] {
                #expect(try mirror(name, text) == (2, nil), "\(name)")
            }
            let one = #"[{"id": 1}]"#
            for limit in ["0", "1", "0%", "66%"] {
                #expect(try mirror("d.json", one, "--max-delete", limit) == (2, nil))
            }
            let kept = try Tool.run("query", store.path, "SELECT @count FROM Artist", "--csv")
            #expect(kept.output.contains("3"), "\(kept.output)")
            #expect(try mirror("d.json", one, "--max-delete", "67%") == (0, 2))
            #expect(try mirror("a.json", "[]", "--max-delete", "1") == (0, 1))
            #expect(try mirror("a.json", "[]") == (0, 0))
            for wrong in ["x", "-1", "101%"] { #expect(try mirror("a.json", "[]", "--max-delete", wrong).0 == 64) }
        }
    }

    @Test(arguments: Tool.kinds) func `columns with dots and without a name can be mapped`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let map = "\(store.folder)/map.json"
            try Data(#"{"Genre": {"map": {"code": "", "name": "Genre.Name"}}}"#.utf8).write(to: URL(filePath: map))
            let text = ",Genre.Name\ndub,Dub\n"
            let (status, report, errors) = try run(store, "Genre", "index.csv", text, "--map", map)
            #expect(status == 0 && report["inserted"] as? Int == 1, "\(errors)")
            let unnamed = "\(store.folder)/unnamed.csv"
            try Data(",code,name\n0,ska,Ska\n".utf8).write(to: URL(filePath: unnamed))
            let said = try Tool.run("import", store.path, "Genre", unnamed)
            #expect(said.status == 0 && said.errors.contains("no attribute of this name: ``"), "\(said.errors)")
        }
    }
}
