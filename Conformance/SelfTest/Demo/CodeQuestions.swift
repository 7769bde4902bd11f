import GranaryCore

/// A question that the demo puts to each store, and the answer as text.
struct Question: Sendable {
    var text: String
    var answer: @Sendable (Snapshot) throws -> String
}

extension CodeTables {
    /// The questions about ISO codes.
    static let questions: [Question] = [
        Question(text: "How many countries, parts, currencies, languages?") { snapshot in
            let counts = [
                try snapshot.count(Country.all), try snapshot.count(Subdivision.all), try snapshot.count(Currency.all),
                try snapshot.count(Language.all),
            ]
            return counts.map(String.init).joined(separator: ", ")
        },
        Question(text: "What is the country with the key \"CH\"?") { snapshot in
            try snapshot.find(Country.self, "CH").map { "\($0.flag ?? "") \($0.name)" } ?? "none"
        },
        Question(text: "Which three country names come last?") { snapshot in
            try snapshot.fetch(Country.sorted(by: \.name, .descending).limit(3)).map(\.name).joined(separator: ", ")
        },
        Question(text: "How many countries have no official name?") { snapshot in
            "\(try snapshot.count(Country.where { $0.officialName == nil }))"
        },
        Question(text: "What are the first Italian parts by name?") { snapshot in
            let italian = Subdivision.where { $0.country == Ref("IT") }
            return try snapshot.fetch(italian.sorted(by: \.name).limit(4)).map(\.name).joined(separator: ", ")
        },
        Question(text: "How many parts are provinces, or lie in no other part?") { snapshot in
            "\(try snapshot.count(Subdivision.where { $0.type == "Province" || $0.parent == nil }))"
        },
        Question(text: "Where does Nakhchivan's Ordubad lie?") { snapshot in
            guard let part = try snapshot.first(Subdivision.where { $0.code == "AZ-ORD" }) else { return "none" }
            let outer = try snapshot.find(part.parent)?.name ?? "no other part"
            return "\(part.name): in \(outer), \(try snapshot.find(part.country)?.name ?? "?")"
        },
        Question(text: "Which constructed languages come after L?") { snapshot in
            let constructed = Language.where { $0.type == .constructed && $0.name >= "L" }
            return try snapshot.fetch(constructed.sorted(by: \.name).limit(4)).map(\.name).joined(separator: ", ")
        },
        Question(text: "How many living languages have a two-letter code?") { snapshot in
            "\(try snapshot.count(Language.where { $0.type == .living && $0.alpha2 != nil }))"
        },
        Question(text: "Which currencies are numbered 8 to 50?") { snapshot in
            let few = Currency.where { $0.numeric.in(8...50) }.sorted(by: \.numeric)
            return try snapshot.fetch(few).map(\.alpha3).joined(separator: " ")
        },
        Question(text: "How many letters have the names of all languages?") { snapshot in
            var letters = 0
            try Language.all.forEach(in: snapshot) { letters += $0.name.count }
            return "\(letters)"
        },
    ]
}
