#if os(Linux)
    import ConformanceKit
    import FaultShim
    import Foundation
    import Glibc
    import GranaryCore
    import GranaryTool

    // Each trial begins with the same files, and does one job in a process that is forked for it and whose calls on files are
    // counted. One of these calls kills it, or fails. Another process then looks at what is there: what was or what was to be,
    // whole. So each point of a job is tried, in the order of its calls, and a trial takes some milliseconds.

    /// Kills a process at each call of a job on a store, or has each call fail.
    struct FaultSweep {
        /// What is done to the store.
        enum Job: String, CaseIterable {
            case migrate, alter, plan, aside, reset, reseed, compact, rebuild, copy, backup, seed, json, destroy
            /// As `migrate`, `reset` and `copy`, where some records have external values.
            case photosMigrate, photosReset, photosCopy
            /// A commit of two parts of a stack, whose words are searched.
            case parts
            /// A commit of several writes that waited for each other, one of which was undone.
            case group
        }
        /// What happens to the call.
        enum Fault: String, CaseIterable { case kill, EIO, ENOSPC, EMFILE }

        let kind: StoreKind
        let job: Job
        let fault: Fault
        /// The most trials, at even distances among all points.
        let limit: Int
        let folder: String
        private let board: UnsafeMutablePointer<faults_control>
        private let message: UnsafeMutablePointer<CChar>
        private static let messageSize = 1 << 16
        /// 1 once the job is done, if no call has failed until then, and the store is about to be closed.
        private let isDone: UnsafeMutablePointer<Int32>

        init(_ kind: StoreKind, _ job: Job, _ fault: Fault, limit: Int, in folder: String) throws {
            (self.kind, self.job, self.fault, self.limit, self.folder) = (kind, job, fault, limit, folder)
            let size = MemoryLayout<faults_control>.size
            guard
                let memory = mmap(
                    nil, size + Self.messageSize + 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
                memory != MAP_FAILED
            else { throw SweepError("no memory to share: \(errno)") }
            board = memory.bindMemory(to: faults_control.self, capacity: 1)
            message = (memory + size).bindMemory(to: CChar.self, capacity: Self.messageSize)
            isDone = (memory + size + Self.messageSize).bindMemory(to: Int32.self, capacity: 1)
        }

        struct SweepError: Error {
            let text: String
            init(_ text: String) { self.text = text }
        }

        // MARK: Trials

        /// Runs all trials, and reports how many found the old contents and how many the new ones, and each failure.
        func run(report: (String) -> Void) throws {
            guard run({ try makeFiles() }) == .done else { throw SweepError("no stores: \(told)") }
            try FileManager.default.moveItem(atPath: work, toPath: template)
            try restore()
            guard run(follows: true, { try perform() }) == .done else { throw SweepError("without a fault: \(told)") }
            let counts = withUnsafeBytes(of: &board.pointee.counts) { Array($0.bindMemory(to: Int64.self)) }
            let calls = fault == .EMFILE ? [FAULTS_OPEN] : Self.calls.filter { fault == .kill || $0 != FAULTS_UNLINK }
            let points = calls.flatMap { call in
                (0..<counts[Int(call.rawValue)]).map { (call: call, number: $0 + 1) }
            }
            let chosen = chosen(of: points.map(\.call))
            var (old, new) = (0, 0)
            for point in chosen.map({ points[$0] }) {
                try restore()
                let end = run(follows: true, plan: { plan(&$0, point.call, point.number) }) { try perform() }
                let label = "\(String(cString: faults_kind_name(Int32(point.call.rawValue)))) \(point.number)"
                let isHit = board.pointee.fired > 0
                switch end {
                case _ where fault != .kill && !isHit: report("failure \(label): no call failed")
                case .done where fault == .kill: report("failure \(label): it was not killed")
                case .done where !mayFail(point.call): report("failure \(label): nothing was thrown: \(path)")
                case .killed where fault != .kill: report("failure \(label): it was killed")
                case .failed(let how): report("failure \(label): \(how)")
                case .done, .killed, .threw: break
                }
                let (said, wasClosing) = (told, isDone.pointee == 1)
                switch run({ try check() }) {
                case .done:
                    new += 1
                    if end == .threw, !wasClosing, showsItsEnd, !said.hasPrefix("commitOutcomeUnknown") {
                        report("failure \(label): it is done, and was told as failed: \(said)")
                    }
                case .threw where told == "old":
                    old += 1
                    if end == .done { report("failure \(label): done, and what was there is there still") }
                default: report("failure \(label): \(told)")
                }
            }
            report("trials \(chosen.count) of \(points.count), old \(old), new \(new)")
        }

        /// The points that are tried, at most `limit`, evenly chosen. A process is also killed at the last call of each kind: few calls
        /// follow the moment from which on the new contents are there.
        private func chosen(of calls: [faults_kind]) -> [Int] {
            let count = min(limit, calls.count)
            let last = calls.indices.filter { fault == .kill && ($0 + 1 == calls.count || calls[$0 + 1] != calls[$0]) }
            let others = calls.indices.filter { !last.contains($0) }
            let more = max(0, count - last.count)
            return (last + (0..<more).map { others[$0 * others.count / more] }).prefix(count).sorted()
        }

        /// The calls that change something on the disk, and those that make it last.
        private static let calls = [
            FAULTS_OPEN, FAULTS_WRITE, FAULTS_SYNC, FAULTS_DATASYNC, FAULTS_TRUNCATE, FAULTS_ALLOCATE, FAULTS_RENAME,
            FAULTS_UNLINK, FAULTS_MKDIR,
        ]

        /// Whether what is there afterwards tells that the job was done, so that it must not be told as failed. A change of the schema
        /// in place, and a plan, have several ends.
        private var showsItsEnd: Bool { ![.compact, .rebuild, .alter, .plan].contains(job) }

        /// Whether a call may fail without an error of the job: opening what is only to be removed, and what an engine does with
        /// its own files when it closes. Their data is on the disk already, in its log, or is synced as a whole afterwards.
        private func mayFail(_ call: faults_kind) -> Bool {
            let engine = [FAULTS_WRITE, FAULTS_TRUNCATE, FAULTS_DATASYNC].contains(call) && path.contains("/gen-")
            return call == FAULTS_OPEN || isDone.pointee == 1 || engine
        }

        /// Of the call that has failed.
        private var path: String {
            withUnsafeBytes(of: &board.pointee.fired_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }

        /// Closes a store after the job.
        func close(_ store: any Store) throws {
            if board.pointee.fired == 0 { isDone.pointee = 1 }
            try store.close()
        }

        private func plan(_ control: inout faults_control, _ call: faults_kind, _ number: Int64) {
            control.kind = Int32(call.rawValue)
            control.at = number
            control.effect = Int32(fault == .kill ? FAULTS_KILL.rawValue : FAULTS_ERROR.rawValue)
            control.error_number =
                switch fault {
                case .ENOSPC: ENOSPC
                case .EMFILE: EMFILE
                case .EIO, .kill: EIO
                }
        }

        // MARK: Processes

        private enum End: Equatable {
            case done, threw, killed
            case failed(String)
        }

        private var told: String { String(cString: message) }

        private func tell(_ text: String) {
            let bytes = Array(text.utf8.prefix(Self.messageSize - 1)).map { CChar(bitPattern: $0) } + [0]
            message.update(from: bytes, count: bytes.count)
        }

        /// Runs a body in a process of its own.
        private func run(
            follows: Bool = false, plan: (inout faults_control) -> Void = { _ in }, _ body: () throws -> Void
        ) -> End {
            tell("")
            isDone.pointee = 0
            board.pointee = faults_control()
            if follows {
                withUnsafeMutableBytes(of: &board.pointee.folder) { $0.copyBytes(from: Array("\(work)\0".utf8)) }
            }
            plan(&board.pointee)
            let process = faults_fork()
            if process == 0 {
                alarm(30)
                if follows { faults_follow(board) }
                do {
                    try body()
                    _exit(0)
                } catch let error as GranaryError {
                    tell("\(error.code): \(error.message)")
                    _exit(1)
                } catch let error as SweepError {
                    tell(error.text)
                    _exit(1)
                } catch {
                    tell("an error that is not typed: \(error)")
                    _exit(2)
                }
            }
            guard process > 0 else { return .failed("fork failed: \(errno)") }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            switch (status & 0x7F, (status >> 8) & 0xFF) {
            case (0, 0): return .done
            case (0, 1): return .threw
            case (SIGKILL, _): return .killed
            case (0, _): return .failed(told)
            case (let signal, _): return .failed("signal \(signal)")
            }
        }

        // MARK: Files

        var work: String { folder + "/work" }
        private var template: String { folder + "/template" }

        private func restore() throws {
            if FileManager.default.fileExists(atPath: work) { try FileManager.default.removeItem(atPath: work) }
            try FileManager.default.copyItem(atPath: template, toPath: work)
        }
    }
#endif
