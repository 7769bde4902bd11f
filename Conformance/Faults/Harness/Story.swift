/// What the board of a workload says: the contents that its store may have, and what was against the rules.
struct Story {
    /// What the store may hold now: one content, or two where the last step's outcome was not told.
    var allowed: [World]
    /// What it held after each commit before the last one, the newest first; the content that it began with comes last.
    var earlier: [World] = []
    /// Rules that were broken while the workload ran.
    var faults: [String] = []
    /// The codes of the errors that were thrown, and their messages.
    var codes: [String] = []
    var messages: [String] = []
    /// How many steps were told to be committed.
    var committed = 0
    var isClosed = false

    /// - Parameter isShared: Whether another process has the store open all the while. Then a commit whose outcome is not
    ///   known, and that was not there when the store was opened again, is gone for sure once another is made.
    init(_ lines: [String], seed: UInt64, writer: Int64, from start: World = World(), isShared: Bool = false) {
        var world = start
        var pending: World?
        var doubtful: [World] = []
        for line in lines {
            let told = line.split(separator: "\t", maxSplits: 1)
            let words = told[0].split(separator: " ").map { String($0) }
            switch words[0] {
            case "begin":
                var next = world
                next.apply(world.changes(seed: seed, step: Int(words[1]) ?? 0, writer: writer))
                pending = next
            case "committed", "found":
                earlier.insert(world, at: 0)
                world = pending ?? world
                pending = nil
                doubtful = []
                committed += 1
            case "lost":
                if isShared, let pending { doubtful.append(pending) }
                pending = nil
            case "failed": pending = nil
            case "fault": faults.append(line)
            case "closed": isClosed = true
            default: break
            }
            if ["failed", "refused", "unknown"].contains(words[0]), let code = words.last {
                codes.append(code)
                messages.append(told.count > 1 ? String(told[1]) : "")
            }
        }
        allowed = [world] + (pending.map { [$0] } ?? []) + doubtful
    }
}
