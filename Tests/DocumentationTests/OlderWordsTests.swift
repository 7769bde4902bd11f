import Foundation
import Granary
import Testing

struct OlderWordsTests {
    private let source: ImportValue = [
        "data": [
            "musicians": [
                [
                    "code": "nina", "stage_name": "Nina Simone", "born": "02/21/1933", "updated": "2024-05-01",
                    "note": "piano", "style": "Jazz", "debug": 1,
                    "tunes": ["7": ["title": "Sinnerman", "writer_code": "trad"], "3": ["title": "Four Women"]],
                ],
                ["code": "trad", "names": ["Traditional"]], ["code": "x", "hidden": true, "name": "X"],
                ["code": "gone", "name": "Gone", "is_gone": true],
            ]
        ]
    ]

    @Test(arguments: Kind.allCases)
    func `each older word does here what it did`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Musician.self, Style.self, Tune.self)) { stack in
            let source = source
            let first = try await stack.write { try importMusicians(source, in: $0) }
            #expect(first.report.issues.isEmpty && first.report.unknownKeys.isEmpty, "\(first.report)")
            #expect(first.records.map(\.name) == ["Nina Simone", "Traditional"])
            #expect(first.report.skipped == 1 && first.report.deleted == 1)
            let nina = try #require(first.records.first)
            #expect(nina.note == "PIANO" && nina.rating == 3)
            #expect(nina.born == Date(timeIntervalSince1970: -1_163_203_200))
            let tunes = try await stack.read { try $0.fetch(Tune.sorted(by: \.number)) }
            #expect(tunes.map(\.id) == [7, 3] && tunes.map(\.number) == [0, 1])
            #expect(tunes.first?.writer == first.records.last.map { Ref($0) })
            #expect(try await stack.read { try $0.fetch(Style.all).map(\.name) } == ["Jazz"])

            // The object that is not newer is skipped, and so is the hidden one.
            let again = try await stack.write { try importMusicians(source, in: $0).report }
            #expect(again.skipped == 2)
            #expect(again.updated == 0)

            let text = String(decoding: try await stack.read { try exportMusicians(in: $0) }, as: UTF8.self)
            #expect(text.contains(#""stage_name":"Nina Simone","born":"02/21/1933""#), "\(text)")
            #expect(text.contains(#""7":{"title":"Sinnerman","number":0,"writer_code":"trad"}"#), "\(text)")

            let mixed: ImportValue = [
                ["kind": "style", "name": "Soul"], ["kind": "person", "code": "m", "name": "M"],
            ]
            #expect(try await stack.write { try importMixed(mixed, in: $0).inserted } == 2)
            let mirrored = try await stack.write { try mirrorStyles([["name": "Jazz"]], in: $0) }
            #expect(mirrored.deleted == 1 && mirrored.unchanged == 1)
        }
    }
}
