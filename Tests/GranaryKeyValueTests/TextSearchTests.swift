import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

@Suite struct TextSearchTests {
    private let folding: TextFolding = [.caseInsensitive, .diacriticInsensitive]

    @Test func `a prefix is a range of an index`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, text(1, .prefix, "Hun"))) == [
                "search Song using title (title begins with ?)", "sort by id", "-> 2",
            ])
        try #expect(
            answer(store, request(1, text(1, .prefix, "H"), order: [(1, true)])) == [
                "search Song using title (title begins with ?) backwards", "-> 2 6 7",
            ])
        try #expect(answer(store, request(1, text(1, .prefix, "Sx"))).last == "-> ")
        try store.read { try #expect($0.count(request(1, text(1, .prefix, "H"))) == 3) }
    }

    @Test func `a prefix narrows a range, and a range a prefix`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, .all([text(1, .prefix, "H"), compare(1, .greater, "Hb")]))) == [
                "search Song using title (title begins with ?, title > ?)", "sort by id", "-> 2",
            ])
    }

    @Test func `a prefix of a key is a range of keys`() throws {
        let word = Entity("Word", key: "text", attributes: [Attribute("text", .string)])
        let store = try newStore(word)
        try store.write { writer in
            for text in ["a", "ab", "ab\0", "ab\0c", "abc", "b"] { try writer.insert([.string(text)]) }
        }
        try store.read { reader in
            try #expect(
                reader.explain(request(0, text(0, .prefix, "ab"))).lines == [
                    "search Word using key (text begins with ?)"
                ])
            try #expect(reader.keys(request(0, text(0, .prefix, "ab"))) == ["ab", "ab\0", "ab\0c", "abc"])
            try #expect(reader.keys(request(0, text(0, .prefix, "ab\0"))) == ["ab\0", "ab\0c"])
        }
    }

    @Test func `a folded index answers what is asked in its sense`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, text(1, .equal, "JOGA", folding))) == [
                "search Song using title (title[cd] = ?)", "-> 1",
            ])
        try #expect(
            answer(store, request(1, text(1, .prefix, "hún", folding))) == [
                "search Song using title (title[cd] begins with ?)", "sort by id", "-> 2 7 8",
            ])
        let folded = ResolvedExpression.function(.folded(folding), .attribute(1))
        try #expect(
            answer(store, request(1, .relation(folded, .equal, .value("spoon"), isNegated: false))) == [
                "search Song using title (title[cd] = ?)", "-> 4",
            ])
        try #expect(
            answer(store, request(1, .listed(folded, ["joga", "spoon"], isNegated: false))) == [
                "search Song using title (title[cd] in (2))", "sort by id", "-> 1 4",
            ])
        try store.read { reader in
            try #expect(reader.count(request(1, text(1, .prefix, "hun", folding))) == 3)
        }
    }

    @Test func `a folded index gives the order of folded texts`() throws {
        let store = try PlannedMusic.store()
        var request = request(1, limit: 3)
        let title = TypedExpression(.function(.folded(folding), .attribute(1)), .string, isOptional: false)
        request.order = [FetchRequest.OrderTerm(title, isDescending: false)]
        try #expect(
            answer(store, request) == ["scan Song using title until 3 found", "-> 6 7 8"])
    }

    @Test func `no index answers another folding than its own`() throws {
        let store = try PlannedMusic.store()
        try store.read { reader in
            let other = request(1, text(1, .equal, "JOGA", .caseInsensitive))
            try #expect(reader.explain(other).lines == ["scan Song", "filter"])
            let plain = request(0, compare(2, .equal, "DE"))
            try #expect(reader.explain(plain).lines == ["scan Artist", "filter"])
            try #expect(reader.keys(plain) == [4])
        }
    }

    @Test func `a unique folded index refuses what is the same when folded`() throws {
        let store = try PlannedMusic.store()
        #expect(code { try store.write { try $0.insert([3, "KRAUTROCK"], into: 2) } } == .uniqueness)
        #expect(code { try store.write { try $0.update([2, "kRautrock"], in: 2) } } == .uniqueness)
        try store.write { try $0.update([1, "KRAUTROCK"], in: 2) }
        try store.read { reader in
            try #expect(
                reader.values(request(2, text(1, .equal, "krautrock", .caseInsensitive)), count: 2) == [
                    [1, "KRAUTROCK"]
                ])
        }
        try #expect(store.verify() == [])
    }

    @Test func `long texts in a folded index are unique and ordered by all of them`() throws {
        let long = String(repeating: "É", count: 300)
        let store = try PlannedMusic.store()
        try store.write { writer in
            try writer.insert([10, .string(long + "b")], into: 2)
            try writer.insert([11, .string(long + "A")], into: 2)
        }
        #expect(
            code { try store.write { try $0.insert([12, .string(long.lowercased() + "B")], into: 2) } } == .uniqueness)
        try store.read { reader in
            var request = request(2)
            let name = TypedExpression(.function(.folded(.caseInsensitive), .attribute(1)), .string, isOptional: false)
            try #expect(
                reader.keys(GranaryKeyValueTests.request(2, text(1, .equal, long + "a", .caseInsensitive))) == [11])
            request.order = [FetchRequest.OrderTerm(name, isDescending: false)]
            try #expect(reader.explain(request).lines == ["scan Tag using name"])
            try #expect(reader.keys(request) == [1, 2, 11, 10])
        }
        try store.write { try $0.delete(10, from: 2) }
        try #expect(store.verify() == [])
    }

    @Test func `an index of another folding is another index`() throws {
        let engine = SortedArrayEngine()
        let plain = Entity(
            "Word", key: "id", attributes: [Attribute("id", .int64), Attribute("text", .string)],
            indexes: [.index("text"), .index("text", folding: .caseInsensitive)])
        let store = try newStore(plain, engine: engine)
        try store.write { try $0.insert([1, "Ä"]) }
        try #expect(entries(engine, 2).map(\.key) == ["01c3840000" + "8000000000000001"])
        try #expect(entries(engine, 3).map(\.key) == ["01c3a40000" + "8000000000000001"])
        let again = try newStore(plain, engine: engine)
        try again.read { try #expect($0.keys(request(0, text(1, .equal, "ä", .caseInsensitive))) == [1]) }
        try #expect(again.verify() == [])
    }
}
