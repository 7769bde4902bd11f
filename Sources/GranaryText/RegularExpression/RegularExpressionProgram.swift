/// A regular expression as the instructions of a nondeterministic automaton (Thompson 1968).
struct RegularExpressionProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(UInt32)
        case any
        case anyButNewline
        /// Consumes a scalar of a set. The number is an index of ``RegularExpressionProgram/sets``.
        case set(Int)
        /// Goes on only where this is true.
        case assertion(RegularExpressionSyntax.Assertion)
        /// Goes on at both places.
        case split(Int, Int)
        case jump(Int)
        case accept
    }

    static let maximumCount = 10_000

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [ScalarSet] = []
    private let folding: TextFolding
    private let anyInstruction: Instruction

    /// - Throws: `invalidQuery` if the expression needs too many instructions.
    init(_ syntax: RegularExpressionSyntax, _ folding: TextFolding) throws(GranaryError) {
        self.folding = folding
        anyInstruction = syntax.anyIncludesNewline ? .any : .anyButNewline
        try append(syntax.root)
        try append(.accept)
    }

    private mutating func append(_ instruction: Instruction) throws(GranaryError) {
        guard instructions.count < RegularExpressionProgram.maximumCount else {
            throw GranaryError(
                .invalidQuery,
                "The regular expression has more than \(RegularExpressionProgram.maximumCount) steps when its counted "
                    + "repetitions are written out. Use smaller counts, or `*` and `+`.")
        }
        instructions.append(instruction)
    }

    /// The recursion is as deep as the groups of the expression, which are limited.
    private mutating func append(_ node: RegularExpressionSyntax.Node) throws(GranaryError) {
        switch node {
        case .empty: break
        case .literal(let scalars): try append(literal: scalars)
        case .any: try append(anyInstruction)
        case .set(let set):
            sets.append(set.prepared(for: folding))
            try append(.set(sets.count - 1))
        case .assertion(let assertion): try append(Instruction.assertion(assertion))
        case .sequence(let nodes):
            for node in nodes { try append(node) }
        case .alternatives(let nodes): try append(alternatives: nodes)
        case .repeated(let node, let minimum, let maximum):
            try append(repeated: node, minimum: minimum, maximum: maximum)
        }
    }

    private mutating func append(literal scalars: [Unicode.Scalar]) throws(GranaryError) {
        var utf8: [UInt8] = []
        for scalar in scalars { UTF8Scan.append(scalar.value, to: &utf8) }
        let folded = try folding.folded(utf8)
        var position = 0
        while position < folded.count {
            let (scalar, length) = folded.withUnsafeBytes { UTF8Scan.scalar($0, at: position) }
            guard length > 0 else { throw GranaryError.invalidText() }
            try append(.scalar(scalar))
            position += length
        }
    }

    private mutating func append(alternatives nodes: [RegularExpressionSyntax.Node]) throws(GranaryError) {
        var jumps: [Int] = []
        for (index, node) in nodes.enumerated() {
            guard index < nodes.count - 1 else {
                try append(node)
                break
            }
            let split = instructions.count
            try append(.split(split + 1, split + 1))
            try append(node)
            jumps.append(instructions.count)
            try append(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func append(
        repeated node: RegularExpressionSyntax.Node, minimum: Int, maximum: Int?
    ) throws(GranaryError) {
        for _ in 0..<minimum {
            let start = instructions.count
            try append(node)
            // A node without instructions matches only the empty text, however often it is repeated.
            if instructions.count == start { return }
        }
        guard let maximum else {
            let split = instructions.count
            try append(.split(split + 1, split + 1))
            try append(node)
            try append(.jump(split))
            instructions[split] = .split(split + 1, instructions.count)
            return
        }
        var splits: [Int] = []
        for _ in minimum..<maximum {
            splits.append(instructions.count)
            try append(.split(instructions.count + 1, instructions.count + 1))
            try append(node)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }
}
