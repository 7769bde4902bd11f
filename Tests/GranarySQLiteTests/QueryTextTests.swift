import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

/// The SQL of one query of each kind over ``library``, and how SQLite answers it.
@Suite struct QueryTextTests {
    private let folder: TemporaryFolder
    private let store: any Store

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open(library)
    }

    /// What follows the table's name, and the plan.
    private func text(_ request: FetchRequest) throws -> String {
        let layout = Catalog(library, hasChecksums: false).layouts[request.entity]
        var text = SQLText.rows(request, layout, SQLText.Bounds()).text
        text = text.replacing("SELECT \(layout.sql.columns) FROM \(layout.sql.table) ", with: "")
        return text + "\n" + (try store.read { try $0.explain(request) }).description
    }

    private func text(_ condition: ResolvedCondition, of entity: Int = 1) throws -> String {
        try text(FetchRequest(entity: entity, condition: condition))
    }

    @Test func `comparisons of expressions`() throws {
        let (note, rating, plays) = (
            ResolvedExpression.attribute(2), ResolvedExpression.attribute(3), ResolvedExpression.attribute(4)
        )
        #expect(
            try text(.relation(note, .equal, .attribute(1), isNegated: false)) == """
                WHERE "note" = "name" ORDER BY "id"
                scan Artist
                filter
                """)
        #expect(
            try text(.relation(rating, .equal, plays, isNegated: true)) == """
                WHERE +"rating" IS NOT +"plays" ORDER BY "id"
                scan Artist
                filter
                """)
        #expect(
            try text(.relation(plays, .less, .attribute(7), isNegated: true)) == """
                WHERE ("plays" < "fee") IS NOT TRUE ORDER BY "id"
                scan Artist
                filter
                """)
        let sum = ResolvedExpression.arithmetic(.add, plays, .function(.length, note), .integer)
        #expect(
            try text(.listed(sum, [nil, 1], isNegated: false)) == """
                WHERE coalesce(granary_compute(?, "plays", "note") IN (?), 1) ORDER BY "id"
                scan Artist
                filter
                """)
    }

    @Test func `patterns of text`() throws {
        #expect(
            try text(.text(.attribute(1), TextMatch(.prefix, "Ab"), isNegated: false)) == """
                WHERE "name" >= ? AND "name" < ? ORDER BY "id"
                search Artist using name (name >= ?, name < ?)
                sort by id
                """)
        #expect(
            try text(.text(.attribute(1), TextMatch(.like, "A?b*", .caseInsensitive), isNegated: false)) == """
                WHERE granary_fold("name", 1) >= ? AND granary_fold("name", 1) < ? AND granary_matches("name", ?) ORDER BY "id"
                search Artist using name (name[c] > ?, name[c] < ?)
                filter
                sort by id
                """)
        #expect(
            try text(.text(.attribute(1), TextMatch(.equal, "Ab", .caseInsensitive), isNegated: false)) == """
                WHERE granary_fold("name", 1) = ? ORDER BY "id"
                search Artist using name (name[c] = ?)
                """)
        #expect(
            try text(.text(.attribute(2), TextMatch(.contains, "Ab"), isNegated: true)) == """
                WHERE (instr("note", ?) > 0) IS NOT TRUE ORDER BY "id"
                scan Artist
                filter
                """)
        #expect(
            try text(.text(.attribute(2), TextMatch(.suffix, "b", .diacriticInsensitive), isNegated: false)) == """
                WHERE granary_matches("note", ?) ORDER BY "id"
                scan Artist
                filter
                """)
    }

    @Test func `conditions on related records`() throws {
        let named = ResolvedCondition.compare(position: 1, .equal, "A")
        let rated = ResolvedCondition.compare(position: 7, .greater, 3)
        // An index finds the artists.
        #expect(
            try text(.toOne(position: 4, entity: 1, named, isNegated: false), of: 2) == """
                WHERE "artist" IN (SELECT "id" FROM "Artist" AS "1" WHERE "name" = ?) ORDER BY "id"
                search Song using artist (artist = ?)
                  search Artist using name alone (name = ?)
                sort by id
                """)
        // Nothing finds anything: the fewer are looked through first.
        #expect(
            try text(.toOne(position: 4, entity: 1, rated, isNegated: false), of: 2) == """
                WHERE "artist" IN (SELECT "id" FROM "Artist" AS "1" WHERE "fee" > ?) ORDER BY "id"
                search Song using artist (artist = ?)
                  scan Artist
                sort by id
                """)
        // An index finds the songs.
        let titled = ResolvedCondition.compare(position: 1, .equal, "T")
        #expect(
            try text(.all([titled, .toOne(position: 4, entity: 1, rated, isNegated: false)]), of: 2) == """
                WHERE "title" = ? AND EXISTS (SELECT 1 FROM "Artist" AS "1" WHERE "id" = "Song"."artist" AND "fee" > ?) ORDER BY "id"
                search Song using title (title = ?)
                  look up Artist using key (id = ?)
                filter
                """)
        #expect(
            try text(.toMany(entity: 2, position: 4, titled, isNegated: false)) == """
                WHERE "id" IN (SELECT "artist" FROM "Song" AS "1" WHERE "title" = ?) ORDER BY "id"
                search Artist using key (id = ?)
                  search Song using title (title = ?)
                """)
        #expect(
            try text(
                .all([named, .toMany(entity: 2, position: 4, .compare(position: 3, .equal, 1991), isNegated: true)]))
                    == """
                    WHERE "name" = ? AND NOT EXISTS (SELECT 1 FROM "Song" AS "1" WHERE "artist" = "Artist"."id" AND "year" = ?) ORDER BY "id"
                    search Artist using name (name = ?)
                      search Song using artist (artist = ?)
                    filter
                    """)
        #expect(
            try text(.toOne(position: 11, entity: 2, .always(true), isNegated: true)) == """
                WHERE NOT EXISTS (SELECT 1 FROM "Song" AS "1" WHERE "id" = "Artist"."hit") ORDER BY "id"
                scan Artist
                  look up Song using key (id = ?)
                filter
                """)
    }

    @Test func `values among those of another query`() throws {
        var names = FetchRequest(entity: 0, condition: .compare(position: 0, .less, 3))
        names.columns = [TypedExpression(.attribute(1), .string, isOptional: false)]
        #expect(
            try text(.amongRows(.attribute(1), names, isNegated: false)) == """
                WHERE "name" IN (SELECT "name" FROM "Genre" AS "1" WHERE "id" < ?) ORDER BY "id"
                search Artist using name (name = ?)
                  search Genre using key (id < ?)
                sort by id
                """)
        var notes = FetchRequest(entity: 1, limit: 2)
        notes.columns = [TypedExpression(.attribute(2), .string, isOptional: true)]
        #expect(
            try text(.amongRows(.attribute(2), notes, isNegated: true)).split(separator: "\n").first == """
                WHERE ("note" IN (SELECT "note" FROM "Artist" AS "1" ORDER BY "id" LIMIT ?) \
                OR "note" IS NULL AND EXISTS (SELECT 1 FROM (SELECT "note" AS "granary:value" FROM "Artist" AS "2" \
                ORDER BY "id" LIMIT ?) WHERE "granary:value" IS NULL)) IS NOT TRUE ORDER BY "id"
                """)
    }

    @Test func `orders and columns`() throws {
        let genre = TypedExpression(.toOne(position: 9, entity: 0, .attribute(1)), .string, isOptional: true)
        var request = FetchRequest(entity: 1, order: [.init(genre, isDescending: true, nilsFirst: true)], limit: 5)
        #expect(
            try text(request) == """
                ORDER BY (SELECT "name" FROM "Genre" AS "1" WHERE "id" = "Artist"."genre") DESC NULLS FIRST, "id" DESC LIMIT ?
                scan Artist
                  look up Genre using key (id = ?)
                sort top 5 by genre.name desc
                """)
        request.order = []
        request.columns = [genre, TypedExpression(.attribute(3), .double, isOptional: true)]
        request.isDistinct = true
        #expect(
            try text(request) == """
                SELECT DISTINCT (SELECT "name" FROM "Genre" AS "1" WHERE "id" = "Artist"."genre"), "rating" FROM "Artist" \
                ORDER BY 1, 2 LIMIT ?
                scan Artist
                  look up Genre using key (id = ?)
                distinct
                sort top 5
                """)
        let folded = TypedExpression(.function(.folded(.caseInsensitive), .attribute(1)), .string, isOptional: false)
        #expect(
            try text(FetchRequest(entity: 1, order: [.init(folded, isDescending: true)], limit: 5)) == """
                ORDER BY granary_fold("name", 1) DESC, "id" DESC LIMIT ?
                scan Artist using name backwards until 5 found
                """)
        let way = ResolvedExpression.toOne(position: 4, entity: 1, .toOne(position: 9, entity: 0, .attribute(1)))
        #expect(
            try text(
                FetchRequest(
                    entity: 2, order: [.init(TypedExpression(way, .string, isOptional: true), isDescending: false)])
            ).split(separator: "\n").first == """
                ORDER BY (SELECT "2"."name" FROM "Artist" AS "1" CROSS JOIN "Genre" AS "2" \
                WHERE "1"."id" = "Song"."artist" AND "2"."id" = "1"."genre"), "id"
                """)
    }

    @Test func `aggregates and groups`() throws {
        let year = TypedExpression(.attribute(3), .int64, isOptional: false)
        let length = TypedExpression(.attribute(2), .double, isOptional: false)
        let aggregation = Aggregation(
            groups: [year],
            aggregates: [
                .init(.count, nil), .init(.sum, year), .init(.sum, year, isDistinct: true), .init(.average, length),
            ])
        let request = FetchRequest(entity: 2, aggregation: aggregation)
        let layout = Catalog(library, hasChecksums: false).layouts[2]
        #expect(
            SQLText.aggregate(request, aggregation, layout, SQLText.Bounds()).text == """
                SELECT "year", count(*), \
                granary_sum_of_halves(sum("year" >> 32), sum("year" & 4294967295), count("year")), \
                granary_integer_sum(DISTINCT "year"), granary_real_average("length") FROM "Song" GROUP BY 1
                """)
        #expect(
            try store.read { try $0.explain(request) }.description == """
                scan Song
                group by year
                distinct
                """)
        let songs = ResolvedExpression.aggregate(
            RelatedAggregate(
                .average, entity: 2, position: 4, condition: nil, expression: length, isDistinct: false))
        #expect(
            try text(.relation(songs, .greater, .value(1.0), isNegated: false)) == """
                WHERE (SELECT granary_real_average("length") FROM "Song" AS "1" WHERE "artist" = "Artist"."id") > ? ORDER BY "id"
                scan Artist
                  search Song using artist (artist = ?)
                filter
                """)
    }

    @Test func `an index whose values are unique is one like others`() throws {
        let name = ResolvedExpression.attribute(1)
        #expect(
            try text(.text(name, TextMatch(.equal, "Ab", .caseInsensitive), isNegated: false), of: 0) == """
                WHERE granary_fold("name", 1) = ? ORDER BY "id"
                search Genre using name (name[c] = ?)
                """)
    }

    @Test func `the least and the greatest value are found at the ends of indexes`() throws {
        let name = TypedExpression(.attribute(1), .string, isOptional: false)
        let rating = TypedExpression(.attribute(3), .double, isOptional: true)
        let layout = Catalog(library, hasChecksums: false).layouts[1]
        func answer(_ aggregates: [Aggregation.Aggregate]) throws -> String {
            let request = FetchRequest(entity: 1).aggregated(aggregates)
            return SQLText.aggregate(request, Aggregation(aggregates: aggregates), layout, SQLText.Bounds()).text + "\n"
                + (try store.read { try $0.explain(request) }).description
        }
        let ends: [Aggregation.Aggregate] = [.init(.minimum, name), .init(.maximum, rating)]
        #expect(
            try answer(ends) == """
                SELECT (SELECT min("name") FROM "Artist"), (SELECT max("rating") FROM "Artist")
                  search Artist using name alone
                  search Artist using rating alone
                """)
        // What has to be read whole is read once.
        #expect(
            try answer(ends + [.init(.count, nil)]) == """
                SELECT min("name"), max("rating"), count(*) FROM "Artist"
                scan Artist
                """)
    }

    @Test func `no condition that an index can answer looks at every record`() throws {
        let name = ResolvedExpression.attribute(1)
        let conditions: [ResolvedCondition] = [
            .compare(position: 1, .equal, "A"),
            .all([.compare(position: 3, .greaterOrEqual, 2.0), .compare(position: 3, .less, 3.0)]),
            .compare(position: 3, .equal, nil), .among(position: 1, ["A", "B"]), .among(position: 3, [nil, 1.0]),
            .relation(.function(.folded(.caseInsensitive), name), .equal, .value("b"), isNegated: false),
            .listed(.function(.folded(.caseInsensitive), name), ["a", "b"], isNegated: false),
            .text(name, TextMatch(.prefix, "A"), isNegated: false),
            .text(name, TextMatch(.like, "A*"), isNegated: false),
            .text(name, TextMatch(.prefix, "A", .caseInsensitive), isNegated: false),
            .any([.compare(position: 1, .equal, "A"), .compare(position: 3, .equal, 2.0)]),
            .toOne(position: 10, entity: 1, .compare(position: 1, .equal, "A"), isNegated: false),
            .toOne(
                position: 10, entity: 1,
                .toOne(
                    position: 9, entity: 0, .text(name, TextMatch(.equal, "r", .caseInsensitive), isNegated: false),
                    isNegated: false),
                isNegated: false),
            .toMany(entity: 2, position: 4, .compare(position: 1, .equal, "A"), isNegated: false),
            .toMany(
                entity: 2, position: 4,
                .toOne(position: 4, entity: 1, .compare(position: 1, .equal, "A"), isNegated: false),
                isNegated: false),
        ]
        for condition in conditions {
            let plan = try store.read { try $0.explain(FetchRequest(entity: 1, condition: condition)) }
            #expect(plan.fullScans == [], "\(condition)\n\(plan)")
        }
        // SQLite expects a quarter of the rows of what has no other end, and rather reads all of them in the order of
        // the key than sorts those; by the order of the index it searches.
        let rated = FetchRequest(
            entity: 1, condition: .compare(position: 3, .greaterOrEqual, 2.0),
            order: [.init(TypedExpression(.attribute(3), .double, isOptional: true), isDescending: false)])
        #expect(try store.read { try $0.explain(rated) }.description == "search Artist using rating (rating >= ?)")
    }
}
