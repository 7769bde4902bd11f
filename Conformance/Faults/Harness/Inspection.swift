#if os(Linux)
    import GranaryCore

    /// What a process of its own finds in a store, written to a board:
    ///
    ///     refused open corrupt    the call threw that code
    ///     right 1                 all that is read is the content at that place of those allowed
    ///     wrong accounts ...      it is none of them
    ///     verified                `verify` has nothing to say; otherwise `defect ...`, a line each
    ///     wrote                   another step was written, and is there
    ///     lost ...                it is not, or not alone
    ///     closed
    struct Inspection {
        let kind: StoreKind
        let path: String
        let allowed: [World]
        var writes = true

        func run(_ board: Board) {
            func attempt(_ action: String, _ body: () throws -> Void) -> Bool {
                do {
                    try body()
                    return true
                } catch let error as GranaryError {
                    board.write("refused \(action) \(error.code)")
                } catch {
                    board.write("fault \(action): \(error) is not typed")
                }
                return false
            }
            var stack: Stack?
            guard attempt("open", { stack = try kind.open(path) }), let stack else { return }
            var content: World?
            let isRead = attempt("read") { content = try stack.blocking.read { try World($0) } }
            if isRead, let content {
                if let index = allowed.firstIndex(of: content) {
                    board.write("right \(index)")
                } else {
                    let nearest = allowed.first { $0.progress == content.progress } ?? allowed.last
                    board.write("wrong \(content.difference(from: nearest ?? World()))")
                }
            }
            _ = attempt("verify") {
                // A process that was killed leaves files of external values that no record names: a remark, and no defect.
                let lines = try stack.blocking.verify().filter { !$0.hasPrefix("No record names ") }
                for line in lines.prefix(5) { board.write("defect \(line)") }
                if lines.isEmpty { board.write("verified") }
            }
            defer { if attempt("close", { try stack.blocking.close() }) { board.write("closed") } }
            guard writes else { return }
            // A writer that no workload has.
            var expected = content ?? World()
            let changes = World().changes(seed: 1, step: 1, writer: 9)
            expected.apply(changes)
            if attempt("write", { try stack.blocking.write { try World.perform(changes, in: $0) } }), isRead {
                _ = attempt("read") {
                    let found = try stack.blocking.read { try World($0) }
                    board.write(found == expected ? "wrote" : "lost \(found.difference(from: expected))")
                }
            }
        }

        struct Findings {
            /// The difference from what the guarantee allows; nil if there is no difference.
            var fault: String?
            /// What a store without a guarantee has lost, or what of it is damaged.
            var loss: String?
            /// The place among `allowed` of the content that was found.
            var index: Int?
        }

        /// Runs in a child, and looks at what it found.
        func findings(_ board: Board, _ guarantee: Guarantee = .everyCommit) throws -> Findings {
            board.clear()
            let end = try Child.run { run(board) }
            let lines = board.lines
            let index = lines.first { $0.hasPrefix("right ") }.flatMap { Int($0.dropFirst(6)) }
            if end.isHang || end != .exited(0) {
                return Findings(fault: "then \(end) after \(lines.last ?? "nothing")", index: index)
            }
            let good: Set = ["verified", "wrote", "closed"]
            let bad = lines.filter { !good.contains($0) && !$0.hasPrefix("right ") }
            if guarantee == .nothing, !bad.contains(where: { $0.hasPrefix("fault ") }) {
                return Findings(loss: Self.loss(bad), index: bad.isEmpty ? index : nil)
            }
            return Findings(fault: bad.isEmpty ? nil : "then " + bad.joined(separator: "; "), index: index)
        }

        /// What lines of a damaged store mean, in a few words for the figures; nil without lines.
        private static func loss(_ lines: [String]) -> String? {
            if let line = lines.first(where: { $0.hasPrefix("refused ") }) {
                return "refused with \(line.split(separator: " ").last ?? "")"
            }
            if lines.contains(where: { $0.hasPrefix("defect ") }) { return "wrong content, found by verify" }
            return lines.isEmpty ? nil : "wrong content, not noticed"
        }
    }
#endif
