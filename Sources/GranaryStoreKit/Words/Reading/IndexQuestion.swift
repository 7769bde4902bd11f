/// What documents must have: words and phrases, joined by and, or and not.
///
/// ```swift
/// // cats and (dogs or "big mouse*"), without birds
/// IndexQuestion(
///     terms: [.init(words: [cats]), .init(words: [dogs]), .init(words: [big, mouse], isPrefix: true),
///         .init(words: [birds])],
///     tree: .all([.term(0), .any([.term(1), .term(2)]), .not(.term(3))]))
/// ```
package struct IndexQuestion: Hashable, Sendable {
    package var terms: [Term]
    package var tree: Tree

    package init(terms: [Term], tree: Tree) {
        self.terms = terms
        self.tree = tree
    }

    /// One or several words.
    package struct Term: Hashable, Sendable {
        /// Folded words. Without words the term has no documents.
        package var words: [[UInt8]]
        /// Whether the last word stands for all terms that begin with it.
        package var isPrefix: Bool
        /// The slots that are searched; nil: all.
        package var slots: [Int]?
        /// Nil: the words follow each other in one slot. Otherwise each is in the slot of the first one and at most so
        /// many positions before or after it.
        package var distance: Int?

        package init(words: [[UInt8]], isPrefix: Bool = false, slots: [Int]? = nil, distance: Int? = nil) {
            self.words = words
            self.isPrefix = isPrefix
            self.slots = slots
            self.distance = distance
        }
    }

    package indirect enum Tree: Hashable, Sendable {
        /// A term by its place in the list.
        case term(Int)
        /// All of these. `not` is allowed here only, next to a part without it; two that follow each other cancel out.
        case all([Tree])
        /// At least one of these.
        case any([Tree])
        case not(Tree)
        /// No document. Also `all` and `any` without parts.
        case nothing
    }

    /// The places of the terms that a document can have: not those under `not`. Ascending.
    package var positiveTerms: [Int] {
        var found: Set<Int> = []
        func collect(_ tree: Tree, isNegative: Bool) {
            switch tree {
            case .term(let term): if !isNegative { found.insert(term) }
            case .all(let parts), .any(let parts): for part in parts { collect(part, isNegative: isNegative) }
            case .not(let part): collect(part, isNegative: !isNegative)
            case .nothing: break
            }
        }
        collect(tree, isNegative: false)
        return found.sorted()
    }
}
