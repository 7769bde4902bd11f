import ConformanceKit
import ConformanceModels
import GranaryCore

var pagesByNameCases: [ConformanceCase] {
    [
        ConformanceCase("pages.by-name", in: .pages, "pages by names are those of the typed query, there and back") {
            trial in
            let shop = try Shop(trial)
            let queries: [Query<Song>] = [
                Song.all, Song.sorted(by: \.seconds, .descending), Song.sorted(by: \.genre.label).sorted(by: \.title),
                Song.sorted { $0.seconds % 100 }, Song.where { $0.id > 99 },
            ]
            try shop.read { snapshot in
                for typed in queries {
                    for size in 1...7 {
                        let query = Request(recordsOf: typed.untyped)
                        var expected = try typed.page(in: snapshot, size: size)
                        var page = try query.page(in: snapshot, size: size)
                        try expectSame(page, expected)
                        while let end = page.end, page.hasMore {
                            expected = try typed.page(in: snapshot, after: end, size: size)
                            page = try query.page(in: snapshot, after: end, size: size)
                            try expectSame(page, expected)
                        }
                        guard let start = page.start else { continue }
                        try expectSame(
                            try query.page(in: snapshot, before: start, size: size),
                            try typed.page(in: snapshot, before: start, size: size))
                    }
                }
                try expectError(.invalidQuery) { try Request("Song").limit(1).page(in: snapshot, size: 2) }
                try expectError(.invalidQuery) { try Request("Song").page(in: snapshot, size: -1) }
                try expectError(.unknownEntity, entity: "Nothing") {
                    try Request("Nothing").page(in: snapshot, size: 1)
                }
            }
        }
    ]
}

private func expectSame(_ page: Page<DynamicRecord>, _ typed: Page<Song>, line: Int = #line) throws {
    try expectEqual(page.records.map(\.key), typed.records.map { .integer($0.id) }, line: line)
    try expectEqual(page.start, typed.start, line: line)
    try expectEqual(page.end, typed.end, line: line)
    try expectEqual(page.hasMore, typed.hasMore, line: line)
}
