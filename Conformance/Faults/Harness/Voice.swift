#if os(Linux)
    import FaultShim
    import Glibc
    import GranaryCore

    /// Tells the board what a workload was told; any thread may use it.
    struct Voice: Sendable {
        let board: Board
        let marks: Bool
        let diesOnFailure: Bool

        func report(_ line: String) {
            board.write(line) {
                guard marks else { return }
                let bytes = Array(line.utf8)
                bytes.withUnsafeBytes { faults_mark($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
            }
        }

        func die() { kill(getpid(), SIGKILL) }

        func dieOfFailure() { if diesOnFailure { die() } }

        static func text(_ start: String, _ error: any Error) -> String {
            guard let error = error as? GranaryError else { return "fault \(start): \(error) is not typed" }
            let message = error.message.split(whereSeparator: \.isNewline).joined(separator: " ")
            return "\(start) \(error.code)\t\(message)"
        }

        /// How a member of a group has ended.
        func ended(_ name: String, _ error: (any Error)?) -> MemberOutcomes.Outcome {
            guard let error else {
                report("\(name) committed")
                return .committed
            }
            if error is Undone {
                report("\(name) undone")
                return .failed
            }
            let isUnknown = (error as? GranaryError)?.code == .commitOutcomeUnknown
            report(Self.text("\(name) \(isUnknown ? "unknown" : "failed")", error))
            dieOfFailure()
            return isUnknown ? .unknown : .failed
        }
    }
#endif
