import Foundation
import Granary
import Testing

/// The table of operators: each has two forms that mean the same.
struct OperatorTests {
    private static let either: TextFolding = [.caseInsensitive, .diacriticInsensitive]

    private static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

    private static func fill(_ stack: Stack) async throws {
        try await stack.fill()
        try await stack.write { tx in
            let sleeve = Sleeve(colours: ["purple", "white"], inches: 12)
            try tx.insert([
                Release(
                    title: "1999", year: 1982, recorded: day(1), released: day(3), sleeve: sleeve, artist: Ref(1)),
                Release(title: "Purple Rain", year: 1984, artist: Ref(1)),
                Release(title: "Homogenic", year: 1997, artist: Ref(3)),
                Release(title: "Jóga", year: 1997, sleeve: Sleeve(colours: ["red"], inches: 7), artist: Ref(3)),
                Release(title: "Vespertine", year: 2001, artist: Ref(2)),
                Release(title: "Kiss", artist: Ref(1)),
            ])
        }
    }

    private static let releases: [(text: String, typed: Query<Release>)] = [
        ("year == 1982", Release.where { $0.year == 1982 }),
        ("year == nil", Release.where { $0.year == nil }),
        ("year IN {1982, nil}", Release.where { $0.year.in([1982, nil]) }),
        ("year BETWEEN {1980, 1989}", Release.where { $0.year.in(1980...1989) }),
        ("year BETWEEN {1980, 1989}", Release.where { $0.year.between(1980, 1989) }),
        ("year >= 1980 AND year < 1997", Release.where { $0.year.in(1980..<1997) }),
        ("year >= 1990", Release.where { $0.year.in(1990...) }),
        (
            "title IN (SELECT title FROM Song WHERE plays > 2)",
            Release.where { $0.title.in(Song.where { $0.plays > 2 }.select(\.title)) }
        ),
        (
            "artist IN (SELECT id FROM Artist ORDER BY rating DESC LIMIT 1)",
            Release.where { $0.artist.in(Artist.sorted(by: \.rating, .descending).limit(1)) }
        ),
        (#"artist.name == "Prince""#, Release.where { $0.artist.name == "Prince" }),
        (#"title CONTAINS "es""#, Release.where { $0.title.contains("es") }),
        (#"title BEGINSWITH "Pur""#, Release.where { $0.title.hasPrefix("Pur") }),
        (#"title ENDSWITH "ain""#, Release.where { $0.title.hasSuffix("ain") }),
        (#"title LIKE "?espert*""#, Release.where { $0.title.like("?espert*") }),
        (#"title MATCHES "\\d{4}""#, Release.where { $0.title.matches(#"\d{4}"#) }),
        (#"title CONTAINS[cd] "JOG""#, Release.where { $0.title.contains("JOG", either) }),
        (#"title ==[c] "kiss""#, Release.where { $0.title.equals("kiss", .caseInsensitive) }),
        (#"folded[c](title) > "kiss""#, Release.where { $0.title.folded(.caseInsensitive) > "kiss" }),
        (#"title != """#, Release.where { !$0.title.isEmpty }),
        ("length(title) > 4", Release.where { $0.title.length > 4 }),
        ("year % 10 == 2", Release.where { $0.year % 10 == 2 }),
        ("4000 - 2 * year > 20", Release.where { 4000 - 2 * $0.year > 20 }),
        ("(year ?? 0) < 1984", Release.where { ($0.year ?? 0) < 1984 }),
        ("abs(year - 1990) < 7", Release.where { ($0.year - 1990).absoluteValue < 7 }),
        ("double(year) / 10 > 199.5", Release.where { $0.year.asDouble / 10 > 199.5 }),
        ("decimal(year) / 10 > 199.5", Release.where { $0.year.asDecimal / 10 > 199.5 }),
        ("month(released) == 1", Release.where { $0.released.month == 1 }),
        ("hour(released, 3600) == 1", Release.where { $0.released.component(.hour, offset: 3_600) == 1 }),
        ("released - recorded > 86400", Release.where { $0.released.seconds(since: $0.recorded) > 86_400 }),
        (
            #"json(sleeve, "colours[0]") == "purple""#,
            Release.where { $0.sleeve.value(at: "colours[0]", as: String.self) == "purple" }
        ),
        (#"json(sleeve, "inches", int) < 12"#, Release.where { $0.sleeve.value(at: "inches", as: Int.self) < 12 }),
        ("TRUEPREDICATE", Release.where { _ in .always }),
    ]

    private static let artists: [(text: String, typed: Query<Artist>)] = [
        ("ANY songs.plays > 5", Artist.where { $0.songs.contains { $0.plays > 5 } }),
        ("ALL songs.plays > 2", Artist.where { $0.songs.allSatisfy { $0.plays > 2 } }),
        ("NONE songs.plays > 5", Artist.where { !$0.songs.contains { $0.plays > 5 } }),
        ("songs.isEmpty", Artist.where { $0.songs.isEmpty }),
        ("songs.@count > 1", Artist.where { $0.songs.count > 1 }),
        ("songs.@count(WHERE plays > 5) == 1", Artist.where { $0.songs.count(where: { $0.plays > 5 }) == 1 }),
        ("songs.@sum.plays > 10", Artist.where { $0.songs.sum(\.plays) > 10 }),
        ("songs.@sum(plays WHERE plays > 5) > 8", Artist.where { $0.songs.sum(\.plays) { $0.plays > 5 } > 8 }),
        ("songs.@avg.plays < 3", Artist.where { $0.songs.average(\.plays) < 3 }),
        ("songs.@min.plays == 3", Artist.where { $0.songs.minimum(\.plays) == 3 }),
        ("songs.@max.plays == 9", Artist.where { $0.songs.maximum(\.plays) == 9 }),
    ]

    @Test(arguments: Kind.allCases) func `what the table names side by side means the same`(_ kind: Kind) async throws {
        let page = try PageTests.text(ofPage: "Querying")
        try await withStack(kind, Schema(Release.self, Artist.self, Song.self)) { (stack: Stack) async throws in
            try await OperatorTests.fill(stack)
            try await stack.read { (snapshot) throws in
                for (text, typed) in OperatorTests.releases {
                    #expect(page.contains("`\(text)`"), "\(text)")
                    let found = try snapshot.fetch(typed).map(\.title)
                    #expect(!found.isEmpty, "\(text)")
                    #expect(try snapshot.fetch(Release.where(text)).map(\.title) == found, "\(text)")
                }
                for (text, typed) in OperatorTests.artists {
                    #expect(page.contains("`\(text)`"), "\(text)")
                    let found = try snapshot.fetch(typed).map(\.name)
                    #expect(!found.isEmpty, "\(text)")
                    #expect(try snapshot.fetch(Artist.where(text)).map(\.name) == found, "\(text)")
                }
            }
        }
    }

    @Test(arguments: Kind.allCases) func `the examples find what they say`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Release.self, Artist.self, Song.self)) { (stack: Stack) async throws in
            try await OperatorTests.fill(stack)
            #expect(
                try await stack.read { try askMore($0) } == [
                    ["Vespertine"], ["1999"], ["Homogenic", "Jóga"], ["1999", "Purple Rain", "Kiss"],
                    ["Homogenic", "Jóga"], ["Kiss"], ["1999", "Purple Rain", "Kiss"], ["1999"], ["Jóga"],
                    ["1999", "Purple Rain", "Jóga", "Homogenic", "Vespertine", "Kiss"],
                ])
        }
    }
}
