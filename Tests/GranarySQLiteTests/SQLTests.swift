import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct SQLTests {
    /// What follows `FROM "Artist"`, and the values.
    private func sql(
        _ condition: ResolvedCondition?, order: [FetchRequest.OrderTerm] = [], limit: Int? = nil, offset: Int = 0
    ) -> String {
        let layout = Catalog(music, hasChecksums: false).layouts[1]
        let request = FetchRequest(entity: 1, condition: condition, order: order, limit: limit, offset: offset)
        let text = SQLText.rows(request, layout, SQLText.Bounds())
        let values = text.parameters.map { parameter in
            switch parameter {
            case .value(let value): value.description
            case .list(let number): "list \(number)"
            case .pattern(let pattern): "\(pattern.match.kind) \(StoredValue.text(pattern.match.pattern))"
            case .program(let program, _, _): "\(program)"
            case .answers(let number): "answers \(number)"
            case .query(let query): "query \(query.text)"
            case .key: "key"
            }
        }
        return String(text.text.dropFirst("SELECT \(layout.sql.columns) FROM \"Artist\"".count))
            + (values.isEmpty ? "" : " <- \(values.joined(separator: ", "))")
    }

    @Test func `each kind of condition has its SQL`() {
        let rating = 2
        #expect(sql(nil) == #" ORDER BY "id""#)
        #expect(sql(.compare(position: 1, .equal, "A")) == #" WHERE "name" = ? ORDER BY "id" <- "A""#)
        #expect(sql(.compare(position: 1, .notEqual, "A")) == #" WHERE "name" <> ? ORDER BY "id" <- "A""#)
        #expect(sql(.compare(position: rating, .notEqual, 4.0)) == #" WHERE "rating" IS NOT ? ORDER BY "id" <- 4.0"#)
        #expect(sql(.compare(position: rating, .equal, nil)) == #" WHERE "rating" IS NULL ORDER BY "id""#)
        #expect(sql(.compare(position: rating, .notEqual, nil)) == #" WHERE "rating" IS NOT NULL ORDER BY "id""#)
        #expect(sql(.compare(position: rating, .lessOrEqual, 4.0)) == #" WHERE "rating" <= ? ORDER BY "id" <- 4.0"#)
        #expect(sql(.among(position: 1, ["A", "B"])) == #" WHERE "name" IN (?, ?) ORDER BY "id" <- "A", "B""#)
        #expect(
            sql(.among(position: rating, [nil, 1.0]))
                == #" WHERE ("rating" IS NULL OR "rating" IN (?)) ORDER BY "id" <- 1.0"#)
        #expect(
            sql(.notAmong(position: rating, [1.0]))
                == #" WHERE ("rating" IS NULL OR "rating" NOT IN (?)) ORDER BY "id" <- 1.0"#)
        #expect(sql(.notAmong(position: rating, [nil, 1.0])) == #" WHERE "rating" NOT IN (?) ORDER BY "id" <- 1.0"#)
        #expect(
            sql(.among(position: 0, (1...1001).map { .integer($0) }))
                == #" WHERE "id" IN (SELECT "value" FROM temp."granary:list" WHERE "list" = ?) ORDER BY "id" <- list 0"#
        )
        let a = ResolvedCondition.compare(position: 0, .greater, 1)
        let b = ResolvedCondition.compare(position: 0, .less, 9)
        #expect(sql(.all([a, b])) == #" WHERE "id" > ? AND "id" < ? ORDER BY "id" <- 1, 9"#)
        #expect(
            sql(.all([a, .any([a, b])])) == #" WHERE ("id" > ? OR "id" < ?) AND "id" > ? ORDER BY "id" <- 1, 9, 1"#)
        #expect(sql(.any([.all([a, b]), a])) == #" WHERE "id" > ? AND "id" < ? OR "id" > ? ORDER BY "id" <- 1, 9, 1"#)
    }

    @Test func `ties are broken by key in the direction of the last term`() {
        let name = FetchRequest.OrderTerm(position: 1, isDescending: false)
        let rating = FetchRequest.OrderTerm(position: 2, isDescending: true)
        let key = FetchRequest.OrderTerm(position: 0, isDescending: true)
        #expect(sql(nil, order: [name]) == #" ORDER BY "name", "id""#)
        #expect(sql(nil, order: [name, rating]) == #" ORDER BY "name", "rating" DESC, "id" DESC"#)
        #expect(sql(nil, order: [key, name]) == #" ORDER BY "id" DESC"#)
        #expect(sql(nil, limit: 3, offset: 2) == #" ORDER BY "id" LIMIT ? OFFSET ? <- 3, 2"#)
        #expect(sql(nil, offset: 2) == #" ORDER BY "id" LIMIT -1 OFFSET ? <- 2"#)
    }

    @Test func `conditions as large as there can be are understood`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            for key in 1...100 { try writer.insert(.genre, .integer(Int64(key)), .string("\(key)")) }
        }
        let never = ResolvedCondition.compare(position: 0, .equal, -1)
        let always = ResolvedCondition.compare(position: 0, .greater, 0)
        try store.read { (reader) throws in
            func count(_ condition: ResolvedCondition) throws -> Int {
                try reader.count(FetchRequest(entity: 0, condition: condition))
            }
            #expect(try count(.any((1...10_000).map { .compare(position: 0, .equal, .integer($0 * 2)) })) == 50)
            #expect(try count(.all((1...10_000).map { .compare(position: 0, .notEqual, .integer($0 * 2)) })) == 50)
            #expect(try count(.among(position: 0, (1...100_000).map { .integer($0 * 2) })) == 50)
            #expect(try count(.notAmong(position: 0, (1...100_000).map { .integer($0 * 2) })) == 50)
            let lists = (1...3).map { step in
                ResolvedCondition.among(position: 0, (1...5_000).map { .integer($0 * Int64(step)) })
            }
            #expect(try count(.all(lists)) == 16)
            // Alternating, with wide siblings on every level.
            var nested = always
            for level in 1...99 {
                nested =
                    level.isMultiple(of: 2)
                    ? .all([always] + Array(repeating: always, count: level % 7) + [nested, always])
                    : .any([never, nested] + Array(repeating: never, count: 90))
            }
            #expect(try count(nested) == 100)
            // Both sides as deep as terms allow.
            func bush(_ depth: Int) -> ResolvedCondition {
                if depth == 0 { return always }
                let side = bush(depth - 1)
                return depth.isMultiple(of: 2) ? .all([side, side]) : .any([side, side])
            }
            var tall = bush(13)
            for level in 0..<86 {
                tall = level.isMultiple(of: 2) ? .all([always, tall]) : .any([never, tall])
            }
            #expect(try count(tall) == 100)
        }
        #expect(try store.read { try $0.all(.genre, .among(position: 1, ["5", "7"])) } == [[5, "5"], [7, "7"]])
        try store.close()
    }

    @Test func `searches by index, and orders by index, use it`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.read { (reader) throws in
            func plan(_ condition: ResolvedCondition?, _ order: [FetchRequest.OrderTerm] = []) throws -> [String] {
                try reader.explain(FetchRequest(entity: 1, condition: condition, order: order)).lines
            }
            #expect(
                try plan(.compare(position: 1, .equal, "A"), [.init(position: 1, isDescending: true)])
                    == ["search Artist using name (name = ?) backwards"])
            #expect(
                try plan(nil, [.init(position: 1, isDescending: true)]) == ["scan Artist using name backwards"])
            #expect(try plan(nil) == ["scan Artist"])
        }
        try store.close()
    }
}
