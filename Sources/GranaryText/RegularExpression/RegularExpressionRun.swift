/// Runs a program over texts. It follows all paths through the automaton at once, one scalar of the text after the
/// other (Pike's simulation, without captures).
///
/// Each instruction is visited at most once per scalar, for every expression. So the time never grows faster than text
/// length times program length, and a limit on the steps keeps that product small.
struct RegularExpressionRun {
    private let program: RegularExpressionProgram
    /// The instructions that wait for the next scalar.
    private var current: [Int] = []
    private var following: [Int] = []
    private var stack: [Int] = []
    /// For each instruction, the last place in the text at which it was visited, from 1.
    private var visited: [Int]
    private var place = 0
    private var steps = 0

    /// Stands for the missing scalar before the beginning and after the end.
    private static let none = UInt32.max

    init(_ program: RegularExpressionProgram) {
        self.program = program
        visited = [Int](repeating: 0, count: program.instructions.count)
    }

    /// Whether the expression matches the whole text.
    mutating func matches(_ text: UnsafeRawBufferPointer, stepLimit: Int) throws(GranaryError) -> Bool {
        steps = 0
        following.removeAll(keepingCapacity: true)
        place += 1
        var position = 0
        var scalar = try RegularExpressionRun.scalar(text, &position)
        var accepts = visit(0, between: RegularExpressionRun.none, and: scalar)
        swap(&current, &following)
        following.removeAll(keepingCapacity: true)
        while scalar != RegularExpressionRun.none {
            guard !current.isEmpty else { return false }
            let next = try RegularExpressionRun.scalar(text, &position)
            steps += current.count
            accepts = false
            place += 1
            for index in current.indices where consumes(current[index], scalar) {
                accepts = visit(current[index] + 1, between: scalar, and: next) || accepts
            }
            guard steps <= stepLimit else { throw TextMatcher.tooManySteps(stepLimit) }
            swap(&current, &following)
            following.removeAll(keepingCapacity: true)
            scalar = next
        }
        return accepts
    }

    private static func scalar(
        _ text: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(GranaryError) -> UInt32 {
        guard position < text.count else { return none }
        let (scalar, length) = UTF8Scan.scalar(text, at: position)
        guard length > 0 else { throw GranaryError.invalidText() }
        position += length
        return scalar
    }

    private func consumes(_ instruction: Int, _ scalar: UInt32) -> Bool {
        switch program.instructions[instruction] {
        case .scalar(let expected): scalar == expected
        case .any: true
        case .anyButNewline: scalar != 0x0A
        case .set(let set): program.sets[set].contains(scalar)
        case .assertion, .split, .jump, .accept: false
        }
    }

    /// Follows the paths from an instruction that need no scalar, and collects in `following` the instructions that
    /// need one. Returns whether the end is among them.
    private mutating func visit(_ start: Int, between before: UInt32, and after: UInt32) -> Bool {
        var accepts = false
        var way: Int? = start
        while let instruction = way ?? stack.popLast() {
            way = nil
            steps += 1
            guard visited[instruction] != place else { continue }
            visited[instruction] = place
            switch program.instructions[instruction] {
            case .scalar, .any, .anyButNewline, .set: following.append(instruction)
            case .assertion(let assertion):
                if RegularExpressionRun.holds(assertion, between: before, and: after) { way = instruction + 1 }
            case .split(let first, let second):
                stack.append(second)
                way = first
            case .jump(let target): way = target
            case .accept: accepts = true
            }
        }
        return accepts
    }

    private static func holds(
        _ assertion: RegularExpressionSyntax.Assertion, between before: UInt32, and after: UInt32
    ) -> Bool {
        switch assertion {
        case .textStart: before == none
        case .textEnd: after == none
        case .lineStart: before == none || before == 0x0A
        case .lineEnd: after == none || after == 0x0A
        case .wordBoundary: isWord(before) != isWord(after)
        case .noWordBoundary: isWord(before) == isWord(after)
        }
    }

    private static let word = ScalarSet([.word]).prepared(for: [])

    private static func isWord(_ scalar: UInt32) -> Bool { scalar != none && word.contains(scalar) }
}
