import ConformanceKit
import GranaryCore

/// The poems with words by other rules.
func poems(_ rules: WordRules) -> Schema {
    var poem = Poem.entity
    poem.words = rules
    return Schema(entities: [poem])
}

/// The keys of the poems that a search finds, in a stack with any rules.
func poemKeys(_ stack: Stack, _ search: String) throws -> [Int64] {
    try stack.blocking.read { snapshot in
        let request = try Request<DynamicRecord, DynamicRecord>("Poem").where("search(%@)", search)
        let found = try snapshot.fetch(request).compactMap { record in
            if case .integer(let key) = record["id"] { key } else { nil }
        }
        try expectEqual(try snapshot.count(request), found.count, "the number of \(search)")
        return found
    }
}

/// Fails unless a search finds the poems with these keys, in every form in which it can be asked.
func expectPoems(_ trial: Trial, _ search: SearchText, _ keys: [Int64], line: Int = #line) throws {
    let query = Poem.where { $0.search(search) }
    try expectEqual(try trial.keys(query), keys, "\(search)", line: line)
    try expectEqual(try trial.keys(query.sorted(by: .rank).limit(20)).sorted(), keys, "\(search) by rank", line: line)
    try trial.read { try expectEqual(try query.count(in: $0), keys.count, "the number of \(search)", line: line) }
}

private let walks = [
    Poem(id: 1, title: "Walking", text: "She walks in beauty", author: "Byron"),
    Poem(id: 2, title: "A walk", text: "walked home"), Poem(id: 3, title: "Stopping by woods"),
    Poem(id: 4, title: "Woo"),
]

var tokenizerCases: [ConformanceCase] {
    [
        ConformanceCase("search.tokenizer", in: .search, "words of texts and of searches go through a tokenizer") {
            trial in
            try trial.open(SuiteSchema.poems)
            try trial.insert(walks)
            try expectPoems(trial, .all("walks"), [1, 2])
            try expectPoems(trial, .all("WALKING"), [1, 2])
            try expectPoems(trial, .all("wood"), [3])
            try expectPoems(trial, .phrase("walking beauties"), [])
            try expectPoems(trial, .phrase("stops woods"), [])
            try expectPoems(trial, .near("wood stopp", within: 3), [3])
            try expectPoems(trial, .all("wal", beginnings: true), [1, 2])
            try expectPoems(trial, !.any("walk"), [3, 4])
            try expectPoems(trial, SearchText.all("walks").in("title"), [1, 2])
            try expectPoems(trial, SearchText.all("homes").in("text"), [2])
            let ranked = Poem.where { $0.search("walks") }.sorted(by: .rank)
            try expectEqual(try trial.keys(ranked), [1, 2])
            try expectEqual(try trial.stack.blocking.verify(), [])
            try trial.write { tx in
                try tx.update(Poem(id: 4, title: "Walks"))
                try expectEqual(try Poem.where { $0.search("walk") }.count(in: tx), 3)
                try tx.delete(Poem.self, 1)
            }
            try expectPoems(trial, .all("walks"), [2, 4])
            let words = try trial.read { try Poem.words(.beginning(with: "walks"), in: $0) }
            try expectEqual(words, [FoundWord("walk", records: 2), FoundWord("walked", records: 1)])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "search.tokenizer-pending", in: .search, "pending changes are searched by the tokenizer, too",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.poems)
            try trial.insert(walks)
            let context = try trial.stack.makeContext()
            try context.insert(Poem(id: 5, title: "Walks"))
            try context.update(Poem(id: 1, title: "Nothing"))
            let query = Poem.where { $0.search("walking") }
            try expectEqual(try query.fetch(in: context).map(\.id), [2, 5])
            try expectEqual(try query.sorted(by: .rank).fetch(in: context).map(\.id), [5, 2])
            try expectEqual(try query.count(in: context), 2)
            try await context.save()
            try expectPoems(trial, .all("walk"), [2, 5])
        },
        ConformanceCase(
            "search.tokenizer-shown", in: .search, "highlights and snippets have the places of the tokenizer's words"
        ) { _ in
            func marked(_ text: String, _ search: SearchText) throws -> String {
                var (shown, end) = ("", text.startIndex)
                for place in try search.highlights(in: text, as: Poem.fields.text) {
                    shown += text[end..<place.lowerBound] + "[" + text[place] + "]"
                    end = place.upperBound
                }
                return shown + text[end...]
            }
            try expectEqual(try marked("She walks, he was walking", .all("walk")), "She [walks], he was [walking]")
            try expectEqual(try marked("walks in the woods", .phrase("walk wood")), "[walks] in the [woods]")
            try expectEqual(try marked("walks", SearchText.all("walk").in("title")), "walks")
            try expectEqual(try marked("walks", SearchText.all("walk").in("people")), "walks")
            let people = SearchText.all("walks").in("people")
            let text = "Walking Man"
            try expectEqual(try people.highlights(in: text, as: Poem.fields.author).map { text[$0] }, ["Walking"])
            let snippet = try SearchText.all("wood").snippet(
                of: "he stops to look at the snow and the woods once more", words: 2, as: Poem.fields.text)
            try expectEqual(snippet.text, "woods once more")
            try expectEqual(snippet.highlights.count, 1)
            _ = try expectError(.unknownAttribute) {
                try SearchText.all("a").in("nothing").highlights(in: "a", as: Poem.fields.text)
            }
            _ = try expectError(.invalidQuery) { try SearchText.all("a").highlights(in: "a", as: Poem.fields.id) }
        },
        ConformanceCase(
            "search.tokenizer-version", in: .search, "another version of a tokenizer makes the index anew",
            requires: [.persistence, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.poems)
            try trial.insert(walks)
            try expectEqual(try trial.keys(Poem.where { $0.search("walking") }), [1, 2])
            try trial.close()
            let newer = poems(WordRules(NewerStems.self, stopWords: .english))
            if trial.subject.capabilities.contains(.readOnlyOpening) {
                let reading = try trial.another(newer, access: .readOnly)
                try expectEqual(try poemKeys(reading, "stopped"), [3])
                try expectEqual(try poemKeys(reading, "walked"), [1, 2])
                try expectEqual(try poemKeys(reading, "title:walked"), [1, 2])
                try reading.blocking.close()
            }
            let stack = try trial.another(newer)
            try expectEqual(try poemKeys(stack, "walked"), [1, 2])
            try expectEqual(try poemKeys(stack, "text:walked"), [1, 2])
            try expectEqual(try stack.blocking.verify(), [])
            // The program of before writes while the newer one has the store open.
            let older = try trial.another(SuiteSchema.poems)
            try older.blocking.write { try $0.insert(Poem(id: 9, title: "walks")) }
            try expectEqual(try poemKeys(older, "walking"), [1, 2, 9])
            try expectEqual(try poemKeys(stack, "text:walked"), [1, 2])
            try expectEqual(try poemKeys(stack, "walked"), [1, 2, 9])
            try stack.blocking.write { try $0.insert(Poem(id: 10, title: "walked")) }
            try expectEqual(try poemKeys(stack, "walks"), [1, 2, 9, 10])
            try expectEqual(try older.blocking.verify() + stack.blocking.verify(), [])
        },
        ConformanceCase(
            "search.tokenizer-missing", in: .search,
            "a program without the tokenizer is told its name, and can do everything but search",
            requires: [.storedSchema, .persistence, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.poems)
            try trial.insert(walks)
            try trial.close()
            let stack = try trial.anotherStored()
            let entity = try stack.schema.entities[stack.schema.position(ofEntity: "Poem")]
            try expectEqual(entity.words.tokenizer, "suite-stems")
            try expectEqual(stack.schema.fingerprint, SuiteSchema.poems.fingerprint)
            let error = try expectError(.missingTokenizer) { try poemKeys(stack, "walk") }
            try expect(error.message.contains("suite-stems"), error.message)
            try expectEqual(error.entity, "Poem")
            _ = try expectError(.missingTokenizer) {
                try stack.blocking.read { try $0.words(.beginning(with: "wal"), of: "Poem") }
            }
            try expectEqual(try stack.blocking.read { try $0.count(Request("Poem")) }, 4)
            try expectEqual(try stack.blocking.verify(), [])
            try stack.blocking.write { tx in
                _ = try tx.insert(
                    made("Poem", in: tx.schema, ["id": .integer(5), "title": .string("walks and woods")]))
                _ = try tx.delete("Poem", 2)
            }
            try expectEqual(try stack.blocking.verify(), [])
            _ = try expectError(.missingTokenizer) { try poemKeys(stack, "wood") }
            try stack.blocking.close()
            let again = try trial.another(SuiteSchema.poems)
            try expectEqual(try poemKeys(again, "walk"), [1, 5])
            try expectEqual(try poemKeys(again, "wood"), [3, 5])
            try expectEqual(try again.blocking.verify(), [])
            try again.blocking.close()
            // Making the indexes anew leaves that of the words to the program that can make it.
            let tool = try trial.anotherStored()
            try await tool.rebuildIndexes()
            try expectEqual(try tool.blocking.verify(), [])
            try tool.blocking.close()
            try expectEqual(try poemKeys(try trial.another(SuiteSchema.poems), "wood"), [3, 5])
        },
        ConformanceCase(
            "search.tokenizer-chosen", in: .search, "a store gets a tokenizer, another one, and none again",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(poems(WordRules()))
            try trial.write { tx in
                for (id, title) in [(1, "the walks"), (2, "walked")] as [(Int64, String)] {
                    _ = try tx.insert(made("Poem", in: tx.schema, ["id": .integer(id), "title": .string(title)]))
                }
            }
            try expectEqual(try poemKeys(trial.stack, "walk"), [])
            try expectEqual(try poemKeys(trial.stack, "the"), [1])
            try trial.close()
            let plan = try trial.provider.planMigration(to: SuiteSchema.poems, .automatic)
            try expectEqual(
                plan.difference.changes.map(\.description),
                [
                    "the words of Poem are found by the tokenizer \"suite-stems\" without english stop words instead of the default rules; its index of words is made anew"
                ])
            try expectEqual(plan.cost, .instant)
            let stems = try trial.another(SuiteSchema.poems)
            try expectEqual(try poemKeys(stems, "walk"), [1])
            try expectEqual(try poemKeys(stems, "the"), [])
            try expectEqual(try stems.blocking.verify(), [])
            try stems.blocking.close()
            let stopped = try trial.another(poems(WordRules(stopWords: .english)))
            try expectEqual(try poemKeys(stopped, "walk"), [])
            try expectEqual(try poemKeys(stopped, "the walks"), [1])
            try stopped.blocking.close()
            let plain = try trial.another(poems(WordRules()))
            try expectEqual(try poemKeys(plain, "the"), [1])
            try expectEqual(try plain.blocking.verify(), [])
        },
        ConformanceCase("search.tokenizer-schema", in: .search, "a schema has the names of tokenizer and stop words") {
            _ in
            let schema = SuiteSchema.poems
            let json = try schema.json()
            let text = String(decoding: json, as: UTF8.self)
            try expect(text.contains(#""words":{"stopWords":"english","tokenizer":"suite-stems"}"#), text)
            try expect(text.contains(#""format":2"#), text)
            let again = try Schema(json: json)
            try expectEqual(again.entities[0].words, schema.entities[0].words)
            try expectEqual(again.entities[0].attributes.map(\.searchGroup), [nil, nil, nil, "people", "people"])
            try expectEqual(again.fingerprint, schema.fingerprint)
            let unknown = text.replacing("\"english\"", with: "\"klingon\"")
            _ = try expectError(.newerFormat) { try Schema(json: Array(unknown.utf8)) }
            try expect(schema.description.contains("words by the tokenizer \"suite-stems\""), schema.description)
            let others = [
                WordRules(), WordRules(Stems.self), WordRules(stopWords: .english), WordRules(stopWords: .german),
            ]
            try expectEqual(Set(others.map { poems($0).fingerprint } + [schema.fingerprint]).count, 5)
            try expectEqual(poems(WordRules(NewerStems.self, stopWords: .english)).fingerprint, schema.fingerprint)
            try expect(
                !String(decoding: try SuiteSchema.articles.json(), as: UTF8.self).contains("format"),
                "a format without rules")
        },
    ]
}
