/// What the board of a workload says: the contents that its store may have, and what was against the rules.
struct Story {
    /// What the store may hold now. The first one is what was told; in the others the writes whose outcome was not told are there
    /// as well.
    var allowed: [World]
    /// What it held after each commit before the last one, the newest first; the content that it began with comes last.
    var earlier: [World] = []
    /// Rules that were broken while the workload ran.
    var faults: [String] = []
    /// The codes of the errors that were thrown, and their messages. The error of a whole group counts once.
    var codes: [String] = []
    var messages: [String] = []
    /// How many writes were told to be committed.
    var committed = 0
    /// How many of them waited behind another one.
    var committedMembers = 0
    var isClosed = false

    /// A write of a step.
    private struct Part {
        enum Outcome { case pending, committed, failed, lost }

        let changes: [World.Change]
        var outcome = Outcome.pending
    }

    /// - Parameters:
    ///   - isShared: Whether another process has the store open all the while. Then a commit whose outcome is not
    ///     known, and that was not there when the store was opened again, is gone for sure once another is made.
    ///   - groupsAreWhole: Whether nothing failed by itself: then the writes of a group are there together, or none is.
    init(
        _ lines: [String], seed: UInt64, writer: Int64, from start: World = World(), isShared: Bool = false,
        groupsAreWhole: Bool = false
    ) {
        // The content before the step, and the step's writes by their numbers: its own is 0.
        var (world, parts): (World, [Int: Part]) = (start, [:])
        var doubtful: [World] = []
        var errorsOfStep: [(code: String, message: String)] = []
        for line in lines {
            let told = line.split(separator: "\t", maxSplits: 1)
            let words = told[0].split(separator: " ").map { String($0) }
            let isMember = words[0] == "member" && words.count >= 4
            let number = isMember ? Int(words[2]) ?? 0 : 0
            let word = isMember ? words[3] : words[0]
            switch word {
            case "begin" where isMember:
                parts[number] = Part(
                    changes: World.changes(ofMember: number, step: Int(words[1]) ?? 0, writer: writer))
            case "begin":
                world = Self.world(world, parts, with: [.committed])
                parts = [0: Part(changes: world.changes(seed: seed, step: Int(words[1]) ?? 0, writer: writer))]
                errorsOfStep = []
            case "committed", "found":
                // One commit for the whole group: the content before it is an earlier one.
                if !parts.values.contains(where: { $0.outcome == .committed }) { earlier.insert(world, at: 0) }
                parts[number]?.outcome = .committed
                doubtful = []
                committed += 1
                if isMember { committedMembers += 1 }
            case "lost":
                parts[number]?.outcome = .lost
                if isShared { doubtful.append(Self.world(world, parts, with: [.committed, .lost])) }
            case "failed", "undone": parts[number]?.outcome = .failed
            case "fault": faults.append(line)
            case "closed": isClosed = true
            default: break
            }
            if ["failed", "refused", "unknown"].contains(word), let code = words.last {
                let message = told.count > 1 ? String(told[1]) : ""
                if errorsOfStep.contains(where: { $0.code == code && Self.areOne($0.message, message) }) { continue }
                if word != "refused" { errorsOfStep.append((code, message)) }
                codes.append(code)
                messages.append(message)
            }
        }
        // The one that throws on purpose is never there.
        let pending = parts.filter {
            $0.value.outcome == .pending && ($0.key == 0 || $0.key != World.undoneMember(of: Self.step(lines)))
        }.keys.sorted()
        let told = Self.world(world, parts, with: [.committed])
        let sets: [[Int]]
        if groupsAreWhole {
            let isCommitted = parts.values.contains { $0.outcome == .committed }
            sets = isCommitted ? [pending] : pending.isEmpty ? [[]] : [[], pending]
        } else {
            sets = (0..<1 << pending.count).map { bits in
                pending.indices.filter { bits & 1 << $0 != 0 }.map { pending[$0] }
            }
        }
        allowed =
            sets.map { set in
                var parts = parts
                for number in set { parts[number]?.outcome = .committed }
                return set.isEmpty ? told : Self.world(world, parts, with: [.committed])
            } + doubtful
    }

    /// The step that the last lines are about.
    private static func step(_ lines: [String]) -> Int {
        lines.last { $0.hasPrefix("begin ") }.flatMap { Int($0.dropFirst(6)) } ?? 0
    }

    /// An error that one write of a group was told, and what the others were told of it.
    private static func areOne(_ one: String, _ other: String) -> Bool {
        one.hasSuffix(other) || other.hasSuffix(one)
    }

    /// The content with those writes of a step that have one of the outcomes.
    private static func world(_ world: World, _ parts: [Int: Part], with outcomes: Set<Part.Outcome>) -> World {
        var world = world
        for (_, part) in parts.sorted(by: { $0.key < $1.key }) where outcomes.contains(part.outcome) {
            world.apply(part.changes)
        }
        return world
    }
}
