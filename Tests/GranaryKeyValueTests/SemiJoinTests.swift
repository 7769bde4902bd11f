import GranaryCore
import Testing

@testable import GranaryKeyValue

@Suite struct SemiJoinTests {
    private func artist(_ condition: ResolvedCondition, isNegated: Bool = false) -> ResolvedCondition {
        .toOne(position: 2, entity: 0, condition, isNegated: isNegated)
    }
    private func tagged(_ condition: ResolvedCondition) -> ResolvedCondition {
        .toMany(entity: 3, position: 1, .toOne(position: 2, entity: 2, condition, isNegated: false), isNegated: false)
    }

    @Test func `a condition on the record that a reference names becomes a search by the reference`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, artist(text(1, .prefix, "C")))) == [
                "search Song using artist (artist in (2))", "  search Artist using name alone (name begins with ?)",
                "sort by id", "-> 3 4 5",
            ])
        try #expect(
            answer(store, request(1, artist(text(2, .equal, "dE", .caseInsensitive)))) == [
                "search Song using artist (artist in (2))", "  search Artist using country alone (country[c] = ?)",
                "sort by id", "-> 3 4 6",
            ])
        try store.read { try #expect($0.count(request(1, artist(text(1, .prefix, "C")))) == 3) }
    }

    @Test func `a condition on records that refer to this one becomes a search by key`() throws {
        let store = try PlannedMusic.store()
        let condition = ResolvedCondition.toMany(
            entity: 1, position: 2, compare(3, .equal, 1972), isNegated: false)
        try #expect(
            answer(store, request(0, condition)) == [
                "search Artist using key (id in (2))", "  search Song using year (year = ?)", "-> 2 4",
            ])
    }

    @Test func `a many-to-many condition is answered from the inside out`() throws {
        let store = try PlannedMusic.store()
        let condition = tagged(text(1, .equal, "KRAUTROCK", .caseInsensitive))
        try #expect(
            answer(store, request(1, condition)) == [
                "search Song using key (id in (3))", "  search SongTag using tag (tag = ?)",
                "    search Tag using name alone (name[c] = ?)", "-> 3 4 6",
            ])
        try #expect(
            answer(store, request(1, .all([condition, tagged(compare(0, .equal, 2))]))).last == "-> 4")
    }

    @Test func `a condition on others among alternatives is part of the union`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, .any([artist(compare(1, .equal, "Björk")), compare(3, .equal, 1967)]))) == [
                "search Song using artist alone (artist = ?)", "search Song using year alone (year = ?)",
                "look up Song using key", "  search Artist using name alone (name = ?)", "-> 1 2 5",
            ])
    }

    @Test func `no record that meets the condition means nothing`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, artist(compare(1, .equal, "Blur")))) == [
                "nothing Song", "  search Artist using name alone (name = ?)", "-> ",
            ])
    }

    @Test func `a row that is known already is looked up from`() throws {
        let store = try PlannedMusic.store()
        try store.read { reader in
            let known = request(1, .all([compare(0, .equal, 3), artist(compare(1, .equal, "Can"))]))
            try #expect(
                reader.explain(known).lines == [
                    "search Song using key (id = ?)", "filter", "  look up Artist using key",
                ])
        }
    }

    @Test func `a negated condition is asked of each row`() throws {
        let store = try PlannedMusic.store()
        try store.read { reader in
            let others = request(1, artist(compare(1, .equal, "Can"), isNegated: true))
            try #expect(reader.explain(others).lines == ["scan Song", "filter", "  look up Artist using key"])
        }
    }

    @Test func `the values of another query become a list`() throws {
        let store = try PlannedMusic.store()
        var names = request(0, compare(1, .less, "Cz"))
        names.columns = [TypedExpression(.attribute(0), .int64, isOptional: false)]
        try #expect(
            answer(store, request(1, .amongRows(.attribute(2), names, isNegated: false))) == [
                "search Song using artist (artist in (3))", "  search Artist using name (name < ?)", "sort by id",
                "-> 1 2 3 4 5",
            ])
    }

    @Test func `conditions nested as deep as they may be are answered`() throws {
        let node = Entity(
            "Node", key: "id",
            attributes: [
                Attribute("id", .int64),
                Attribute(
                    "next", .int64, isOptional: true,
                    reference: Attribute.Reference(entity: "Node", onDelete: .nullify)),
            ])
        let store = try newStore(node)
        try store.write { writer in
            for number in (1...200).reversed() {
                try writer.insert([.integer(Int64(number)), number == 200 ? nil : .integer(Int64(number + 1))])
            }
        }
        var condition = compare(0, .equal, 150)
        for _ in 0..<95 { condition = .toOne(position: 1, entity: 0, condition, isNegated: false) }
        var list = FetchRequest(entity: 0, condition: compare(0, .equal, 150))
        for _ in 0..<60 {
            list.columns = [TypedExpression(.attribute(0), .int64, isOptional: false)]
            list = FetchRequest(entity: 0, condition: .amongRows(.attribute(1), list, isNegated: false))
        }
        try store.read { reader in
            try #expect(reader.keys(request(0, condition)) == [55])
            try #expect(reader.keys(list) == [90])
        }
    }

    @Test func `a condition that would read too much is asked of each row`() throws {
        let store = try newStore(PlannedMusic.artists, PlannedMusic.songs)
        try store.write { writer in
            for number in 0..<3000 {
                let country: Value = number % 2 == 0 ? "DE" : "GB"
                try writer.insert([.integer(Int64(number)), .string("n\(number)"), country], into: 0)
            }
            for number in 0..<40 {
                let row: [Value] = [
                    .integer(Int64(number)), "t", .integer(Int64(number)), .integer(Int64(number % 4)), 0,
                ]
                try writer.insert(row, into: 1)
            }
        }
        let german = artist(text(2, .equal, "de", .caseInsensitive))
        try #expect(
            answer(store, request(1, .all([german, compare(3, .equal, 2)]))) == [
                "search Song using year (year = ?)", "filter", "  look up Artist using key",
                "-> 2 6 10 14 18 22 26 30 34 38",
            ])
        try #expect(
            answer(store, request(1, .all([artist(compare(1, .equal, "n6")), compare(3, .equal, 2)]))).last == "-> 6")
    }
}
