/// Parses a regular expression by recursive descent, with one level of recursion for each open group.
struct RegularExpressionParser {
    typealias Node = RegularExpressionSyntax.Node

    let pattern: [Unicode.Scalar]
    var index = 0
    var flags: Set<Unicode.Scalar> = []
    private var nesting = 0

    init(_ pattern: [Unicode.Scalar]) {
        self.pattern = pattern
    }

    var next: Unicode.Scalar? { index < pattern.count ? pattern[index] : nil }

    func nextIs(_ text: String) -> Bool {
        pattern[index...].starts(with: text.unicodeScalars)
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    /// An error about the scalar at index `place`; by default about the next one.
    func failure(_ problem: String, at place: Int? = nil) -> GranaryError {
        GranaryError(
            .invalidQuery, "The regular expression is not valid at column \((place ?? index) + 1): \(problem)")
    }

    mutating func parse() throws(GranaryError) -> Node {
        while nextIs("(?"), let letter = pattern.dropFirst(index + 2).first, ("a"..."z").contains(letter) {
            try readFlags()
        }
        let root = try readAlternatives()
        guard next == nil else { throw failure("there is no group to close; write \\) for the character.") }
        return root
    }

    private mutating func readFlags() throws(GranaryError) {
        index += 2
        while let letter = next, letter != ")" {
            guard ["i", "m", "s"].contains(letter) else { throw failure("the flags are i, m and s.") }
            flags.insert(letter)
            index += 1
        }
        guard take(")") else { throw failure("the flags have no closing parenthesis.") }
    }

    private mutating func readAlternatives() throws(GranaryError) -> Node {
        var alternatives = [try readSequence()]
        while take("|") {
            alternatives.append(try readSequence())
        }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    /// Consecutive scalars stay together, so that a letter and its mark are folded as one.
    private mutating func readSequence() throws(GranaryError) -> Node {
        var nodes: [Node] = []
        var literal: [Unicode.Scalar] = []
        func endLiteral() {
            if !literal.isEmpty { nodes.append(.literal(literal)) }
            literal = []
        }
        while let scalar = next, scalar != "|", scalar != ")" {
            let atom = try readAtom()
            if let bounds = try readRepetition() {
                endLiteral()
                if case .empty = atom { continue }
                nodes.append(.repeated(atom, minimum: bounds.minimum, maximum: bounds.maximum))
            } else if case .literal(let scalars) = atom {
                literal += scalars
            } else {
                endLiteral()
                if case .empty = atom { continue }
                nodes.append(atom)
            }
        }
        endLiteral()
        switch nodes.count {
        case 0: return .empty
        case 1: return nodes[0]
        default: return .sequence(nodes)
        }
    }

    private mutating func readAtom() throws(GranaryError) -> Node {
        guard let scalar = next else { return .empty }
        index += 1
        switch scalar {
        case "(": return try readGroup()
        case "[": return .set(try readSet())
        case ".": return .any
        case "^": return .assertion(flags.contains("m") ? .lineStart : .textStart)
        case "$": return .assertion(flags.contains("m") ? .lineEnd : .textEnd)
        case "\\":
            if let assertion = readAssertionEscape() { return .assertion(assertion) }
            switch try readEscape() {
            case .scalar(let scalar): return .literal([scalar])
            case .term(let term): return .set(ScalarSet([term]))
            }
        case "*", "+", "?":
            throw failure("there is nothing to repeat; write \\\(scalar) for the character.", at: index - 1)
        case "{":
            throw failure("there is nothing to repeat; write \\{ for the character.", at: index - 1)
        default: return .literal([scalar])
        }
    }

    private mutating func readGroup() throws(GranaryError) -> Node {
        let opening = index - 1
        if next == "?" {
            guard nextIs("?:") else { throw failure(problem(ofGroup: opening), at: opening) }
            index += 2
        }
        nesting += 1
        guard nesting <= RegularExpressionSyntax.maximumNesting else {
            throw failure("groups are nested at most \(RegularExpressionSyntax.maximumNesting) deep.", at: opening)
        }
        let inside = try readAlternatives()
        guard take(")") else { throw failure("the group is not closed; write \\( for the character.", at: opening) }
        nesting -= 1
        return inside
    }

    private func problem(ofGroup opening: Int) -> String {
        if ["?=", "?!", "?<=", "?<!"].contains(where: nextIs) {
            return "lookahead and lookbehind are not supported."
        }
        if nextIs("?>") { return "atomic groups are not supported." }
        if nextIs("?<") || nextIs("?P") { return "named groups are not supported; write (?: )." }
        if let letter = pattern.dropFirst(opening + 2).first, ("a"..."z").contains(letter) || letter == "-" {
            return "flags stand at the beginning of the expression."
        }
        return "after (? stands : or, at the beginning of the expression, a flag."
    }
}
