import ConformanceKit
import GranaryCore

/// Poems with these titles, numbered from 1, in a store that leaves out the stop words of a language.
private func open(_ trial: Trial, _ language: StopWords, _ titles: [String]) throws {
    try trial.open(poems(WordRules(stopWords: language)))
    try trial.write { tx in
        for (index, title) in titles.enumerated() {
            _ = try tx.insert(
                made("Poem", in: tx.schema, ["id": .integer(Int64(index + 1)), "title": .string(title)]))
        }
    }
}

var stopWordsCases: [ConformanceCase] {
    [
        ConformanceCase("search.stop-words", in: .search, "stop words are left out of texts and of searches") { trial in
            try open(trial, .english, ["The art of war", "Art and War", "War", "THE AND OF", "theory of art"])
            func expect(_ search: String, _ keys: [Int64], line: Int = #line) throws {
                if trial.mode == .reopened { try trial.reopen() }
                try expectEqual(try poemKeys(trial.stack, search), keys, search, line: line)
            }
            try expect("art", [1, 2, 5])
            try expect("the AND art", [1, 2, 5])
            try expect("\"the art of war\"", [1, 2])
            try expect("\"art war\"", [1, 2])
            try expect("\"war of art\"", [])
            try expect("NEAR(art of war, 1)", [1, 2])
            try expect("the", [])
            try expect("the OR of", [])
            try expect("NOT the", [])
            try expect("the OR theory", [5])
            try expect("art NOT the", [1, 2, 5])
            try expect("art NOT theory", [1, 2])
            // A stop word is none of a beginning either.
            try expect("the*", [])
            try expect("theo*", [5])
            try expect("\"art of\"*", [1, 2, 5])
            try expectEqual(try trial.stack.blocking.verify(), [])
            let words = try trial.stack.blocking.read { try $0.words(.beginning(with: "the"), of: "Poem") }
            try expectEqual(words, [FoundWord("theory", records: 1)])
        },
        ConformanceCase("search.stop-words-rank", in: .search, "stop words do not make a record longer") { trial in
            try open(trial, .english, ["to be or not to be this bird", "bird watch", "x", "y", "z"])
            let request = try Request<DynamicRecord, DynamicRecord>("Poem").where("search('bird')")
                .sorted(by: "-rank()")
            let first = try trial.read { try $0.fetch(request).first?["id"] }
            try expectEqual(first, .integer(1))
        },
        ConformanceCase("search.stop-words-languages", in: .search, "each language has its stop words", modes: [.fresh])
        {
            trial in
            let texts: [(StopWords, String, String)] = [
                (.english, "the house is here", "house"), (.german, "das Haus für die Übung", "Haus Übung"),
                (.french, "la maison est à moi", "maison"), (.spanish, "la casa está aquí", "casa"),
                (.italian, "la casa è mia", "casa"), (.portuguese, "a casa não é minha", "casa"),
                (.dutch, "het huis is niet van mij", "huis"), (.swedish, "huset är inte för dig", "huset"),
            ]
            try expectEqual(texts.map(\.0), StopWords.allCases)
            for (language, text, left) in texts {
                try open(trial, language, [text])
                try expectEqual(try poemKeys(trial.stack, "\"\(text)\""), [1], text)
                try expectEqual(try poemKeys(trial.stack, "\"\(left)\""), [1], left)
                for word in text.split(separator: " ") where !left.contains(word) {
                    try expectEqual(try poemKeys(trial.stack, "\"\(word)\""), [], "\(word)")
                }
                try expect(language.words.count > 80, "\(language) has \(language.words.count) stop words")
                try trial.close()
                try trial.subject.storeProvider(at: trial.storePath).destroy()
            }
        },
    ]
}

var searchGroupsCases: [ConformanceCase] {
    [
        ConformanceCase("search.groups", in: .search, "a group of attributes is searched by its name") { trial in
            try trial.open(SuiteSchema.poems)
            try trial.insert([
                Poem(id: 1, title: "Homer", author: "Alexander Pope"),
                Poem(id: 2, title: "Iliad", author: "Homer", translator: "Alexander Pope"),
                Poem(id: 3, title: "Odyssey", text: "pope", author: "Homer", translator: "Emily Wilson"),
                Poem(id: 4, title: "Dunciad", author: "Pope", translator: "Alexander"),
            ])
            try expectPoems(trial, .all("homer"), [1, 2, 3])
            try expectPoems(trial, SearchText.all("homer").in("people"), [2, 3])
            try expectPoems(trial, SearchText.all("homer pope").in("people"), [2])
            try expectPoems(trial, SearchText.phrase("alexander pope").in("people"), [1, 2])
            try expectPoems(trial, SearchText.near("pope alexander", within: 9).in("people"), [1, 2])
            try expectPoems(trial, SearchText.all("pop", beginnings: true).in("people"), [1, 2, 4])
            try expectPoems(trial, SearchText.all("pope").in("people") && SearchText.all("homer").in("title"), [1])
            try expectPoems(trial, !SearchText.all("pope").in("people"), [3])
            try expectPoems(trial, try SearchText(parsing: "people:(homer NOT wilson)"), [2])
            // A name inside of another one counts.
            try expectPoems(trial, SearchText.all("pope").in("text").in("people"), [3])
            let ranked = Poem.where { $0.search(SearchText.all("pope").in("people")) }.sorted(by: .rank).limit(3)
            try expectEqual(try trial.keys(ranked), [1, 4, 2])
            try expectEqual(try trial.keys(Poem.where { $0.author.search("pope") }), [1, 4])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.groups-wrong", in: .search, "a wrong group is refused, with what to do") { trial in
            try trial.open(SuiteSchema.poems)
            _ = try expectError(.unknownAttribute) {
                try trial.keys(Poem.where { $0.search(SearchText.all("a").in("persons")) })
            }
            func refused(_ change: (inout Entity) -> Void, _ words: String, line: Int = #line) throws {
                var poem = Poem.entity
                change(&poem)
                let error = try expectError(.invalidSchema, line: line) { try Schema(entities: [poem]).validate() }
                try expect(error.message.contains(words), error.message, line: line)
            }
            try refused({ $0.attributes[1] = $0.attributes[1].searchable("author") }, "author")
            try refused({ $0.attributes[1] = $0.attributes[1].searchable("TEXT") }, "TEXT")
            for name in ["", "two words", "a:b", String(repeating: "g", count: 64)] {
                try refused({ $0.attributes[1] = $0.attributes[1].searchable(name) }, "group")
            }
            try refused(
                { poem in
                    for index in poem.attributes.indices {
                        poem.attributes[index] = poem.attributes[index].searchable(weight: nil)
                    }
                }, "no searchable attribute")
        },
        ConformanceCase(
            "search.groups-changed", in: .search, "attributes join a group and leave it, and the index stays",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.poems)
            try trial.insert([Poem(id: 1, title: "Pope", author: "Homer"), Poem(id: 2, title: "x", translator: "Pope")])
            try trial.close()
            var poem = Poem.entity
            poem.attributes[1] = poem.attributes[1].searchable("people")
            poem.attributes[4] = poem.attributes[4].searchable()
            let changed = Schema(entities: [poem])
            let plan = try trial.provider.planMigration(to: changed, .automatic)
            try expectEqual(
                plan.difference.changes.map(\.description),
                ["Poem.title is searched in the group people", "Poem.translator is searched in no group"])
            try expectEqual(plan.cost, .instant)
            let stack = try trial.another(changed)
            try expectEqual(try poemKeys(stack, "people:pope"), [1])
            try expectEqual(try poemKeys(stack, "translator:pope"), [2])
            try expectEqual(try stack.blocking.verify(), [])
        },
    ]
}
