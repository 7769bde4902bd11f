/// What a search asks of the words of a record: a tree of terms, in the form for stores.
public struct WordQuestion: Sendable, Hashable {
    package indirect enum Node: Sendable, Hashable {
        /// The number of a term.
        case term(Int)
        case all([Node])
        case any([Node])
        case not(Node)
    }

    /// Words that must stand together.
    package struct Term: Sendable, Hashable {
        /// At least one.
        package var words: [[UInt8]]
        /// Whether the last word is only the beginning of a word.
        package var isPrefix: Bool
        /// The numbers of the texts in one of which the words must stand; nil for any.
        package var texts: [Int]?
        /// How far each other word may be away from the first one; nil if the words must follow each other.
        package var distance: Int?

        package init(_ words: [[UInt8]], isPrefix: Bool = false, texts: [Int]? = nil, distance: Int? = nil) {
            (self.words, self.isPrefix, self.texts, self.distance) = (words, isPrefix, texts, distance)
        }
    }

    /// How a rank is computed; see ``WordMatcher/score``.
    package struct Ranking: Sendable, Hashable {
        /// The weight of each text.
        package var weights: [Double]
        /// Nil until a store is asked.
        package var statistics: Statistics?

        package init(weights: [Double], statistics: Statistics? = nil) {
            (self.weights, self.statistics) = (weights, statistics)
        }
    }

    /// What a rank needs to know about all records.
    package struct Statistics: Sendable, Hashable {
        /// For each term how much it tells about a record.
        package var weights: [Double]
        /// The average number of words of a record.
        package var averageLength: Double

        package init(weights: [Double], averageLength: Double) {
            (self.weights, self.averageLength) = (weights, averageLength)
        }
    }

    package var root: Node
    package var terms: [Term]
    /// The texts of a record: whether each text is JSON, whose strings are the texts.
    package var areJSON: [Bool]
    /// How the words of the texts are found.
    package var rules: WordRules
    /// Nil to ask whether the question holds.
    package var ranking: Ranking?

    package init(
        _ root: Node, _ terms: [Term], areJSON: [Bool], rules: WordRules = WordRules(), ranking: Ranking? = nil
    ) {
        (self.root, self.terms, self.areJSON) = (root, terms, areJSON)
        (self.rules, self.ranking) = (rules, ranking)
    }
}

extension WordQuestion.Node {
    /// Whether the node holds, where `holds` says it of each term.
    func holds(_ holds: (Int) -> Bool) -> Bool {
        switch self {
        case .term(let number): holds(number)
        case .all(let parts): parts.allSatisfy { $0.holds(holds) }
        case .any(let parts): parts.contains { $0.holds(holds) }
        case .not(let inner): !inner.holds(holds)
        }
    }

    /// Adds the terms that a record may have because of which it is found: those that are not excluded.
    package func addWanted(to terms: inout Set<Int>, isNegated: Bool = false) {
        switch self {
        case .term(let number): if !isNegated { terms.insert(number) }
        case .all(let parts), .any(let parts): for part in parts { part.addWanted(to: &terms, isNegated: isNegated) }
        case .not(let inner): inner.addWanted(to: &terms, isNegated: !isNegated)
        }
    }
}
