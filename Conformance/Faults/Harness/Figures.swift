#if os(Linux)
    import Glibc

    /// What a sweep has counted, by names, and its failures.
    struct Figures {
        private(set) var counts: [String: Int] = [:]
        private(set) var failures = 0

        mutating func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

        private static let skipped = "SKIPPED "

        /// Notes a part of the sweep that cannot be tried here, and why.
        mutating func skip(_ what: String) { counts[Self.skipped + what] = 1 }

        /// The parts that were not tried.
        var skips: [String] {
            counts.keys.filter { $0.hasPrefix(Self.skipped) }.map { String($0.dropFirst(Self.skipped.count)) }.sorted()
        }

        /// What was counted, without the trials and the skipped parts.
        var others: [(name: String, number: Int)] {
            counts.filter { $0.key != "trials" && !$0.key.hasPrefix(Self.skipped) }.sorted { $0.key < $1.key }
                .map { ($0.key, $0.value) }
        }

        /// Counts a failing trial, and prints the line that runs exactly this trial again.
        mutating func fail(_ what: String, _ trial: String, _ detail: String) {
            failures += 1
            count("! \(what)")
            // One call for a line, as several processes print.
            let line = "FAILED \(what): \(detail)\n    Conformance/Faults/run --trial '\(trial)'\n"
            if counts["! \(what)", default: 0] <= 5 { complain(line) }
        }

        mutating func add(_ other: Figures) {
            counts.merge(other.counts, uniquingKeysWith: +)
            failures += other.failures
        }

        subscript(_ name: String) -> Int { counts[name] ?? 0 }

        // Lanes hand their figures over as lines.

        func write(to board: Board) {
            for (name, number) in counts { board.write("\(number) \(name)") }
            board.write("done \(failures)")
        }

        /// nil if the lane did not come to its end.
        init?(_ lines: [String]) {
            guard let last = lines.last, last.hasPrefix("done ") else { return nil }
            failures = Int(last.dropFirst(5)) ?? 0
            for line in lines.dropLast() {
                let parts = line.split(separator: " ", maxSplits: 1)
                if parts.count == 2, let number = Int(parts[0]) { counts[String(parts[1])] = number }
            }
        }

        init() {}
    }

    /// Writes to standard error.
    func complain(_ text: String) { text.withCString { _ = write(2, $0, strlen($0)) } }

    /// A process that does its share of a sweep, one of `count`, in a folder of its own.
    struct Lane {
        let index: Int
        let count: Int
        let folder: String

        func takes(_ number: Int) -> Bool { number % count == index }

        /// Runs a sweep in several processes at once and adds up what they found.
        static func run(_ count: Int, in scratch: String, _ body: (Lane, inout Figures) throws -> Void) throws
            -> Figures
        {
            let lanes = try (0..<count).map { index in
                let board = try Board()
                let lane = Lane(index: index, count: count, folder: "\(scratch)/lane-\(index)")
                let child = try Child(deadline: 24 * 3600) {
                    var figures = Figures()
                    do {
                        try Files.makeEmpty(lane.folder)
                        try body(lane, &figures)
                        figures.write(to: board)
                    } catch {
                        complain("lane \(index): \(error)\n")
                    }
                }
                return (child, board)
            }
            var total = Figures()
            var isWhole = true
            for (child, board) in lanes {
                _ = child.wait()
                if let figures = Figures(board.lines) { total.add(figures) } else { isWhole = false }
            }
            guard isWhole else { throw HarnessError("a part of the sweep did not come to its end") }
            return total
        }
    }
#endif
