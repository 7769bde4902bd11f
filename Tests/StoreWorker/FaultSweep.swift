#if os(Linux)
    import FaultShim
    import Foundation
    import Glibc
    import GranaryConformance
    import GranaryCore
    import GranaryTool

    // Each trial begins with the same files, and does one job in a process that is forked for it and whose calls on files are
    // counted. One of these calls kills it, or fails. Another process then looks at what is there: what was or what was to be,
    // whole. So each point of a job is tried, in the order of its calls, and a trial takes some milliseconds.

    /// Kills a process at each call of a job on a store, or has each call fail.
    struct FaultSweep {
        /// What is done to the store.
        enum Job: String, CaseIterable { case migrate, alter, reset, reseed, compact, copy, backup, seed }
        /// What happens to the call.
        enum Fault: String, CaseIterable { case kill, EIO, ENOSPC }

        let kind: StoreKind
        let job: Job
        let fault: Fault
        /// At most so many trials, at even distances among all there are.
        let limit: Int
        private let folder: String
        private let board: UnsafeMutablePointer<faults_control>
        private let message: UnsafeMutablePointer<CChar>
        private static let messageSize = 1 << 16
        private static let (records, seeded) = (40, 10)

        init(_ kind: StoreKind, _ job: Job, _ fault: Fault, limit: Int, in folder: String) throws {
            (self.kind, self.job, self.fault, self.limit, self.folder) = (kind, job, fault, limit, folder)
            let size = MemoryLayout<faults_control>.size
            guard
                let memory = mmap(
                    nil, size + Self.messageSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
                memory != MAP_FAILED
            else { throw SweepError("no memory to share: \(errno)") }
            board = memory.bindMemory(to: faults_control.self, capacity: 1)
            message = (memory + size).bindMemory(to: CChar.self, capacity: Self.messageSize)
        }

        struct SweepError: Error {
            let text: String
            init(_ text: String) { self.text = text }
        }

        // MARK: Trials

        /// Runs all trials, and reports how many found the old contents and how many the new ones, and each failure.
        func run(report: (String) -> Void) throws {
            guard run({ try makeStores() }) == .done else { throw SweepError("no stores: \(told)") }
            try FileManager.default.moveItem(atPath: work, toPath: template)
            try restore()
            guard run(follows: true, { try perform() }) == .done else { throw SweepError("without a fault: \(told)") }
            let counts = withUnsafeBytes(of: &board.pointee.counts) { Array($0.bindMemory(to: Int64.self)) }
            let calls = Self.calls.filter { fault == .kill || $0 != FAULTS_UNLINK }
            let points = calls.flatMap { call in
                (0..<counts[Int(call.rawValue)]).map { (call: call, number: $0 + 1) }
            }
            let chosen = min(limit, points.count)
            var (old, new) = (0, 0)
            for place in 0..<chosen {
                let point = points[place * points.count / chosen]
                try restore()
                let end = run(follows: true, plan: { plan(&$0, point.call, point.number) }) { try perform() }
                let label = "\(String(cString: faults_kind_name(Int32(point.call.rawValue)))) \(point.number)"
                switch end {
                case .done where fault == .kill: report("failure \(label): it was not killed")
                case .killed where fault != .kill: report("failure \(label): it was killed")
                case .failed(let how): report("failure \(label): \(how)")
                case .done, .killed, .threw: break
                }
                switch run({ try check() }) {
                case .done: new += 1
                case .threw where told == "old":
                    old += 1
                    if end == .done { report("failure \(label): done, and what was there is there still") }
                default: report("failure \(label): \(told)")
                }
            }
            report("trials \(chosen) of \(points.count), old \(old), new \(new)")
        }

        /// The calls that change something on the disk, and those that make it last.
        private static let calls = [
            FAULTS_OPEN, FAULTS_WRITE, FAULTS_SYNC, FAULTS_DATASYNC, FAULTS_TRUNCATE, FAULTS_ALLOCATE, FAULTS_RENAME,
            FAULTS_UNLINK, FAULTS_MKDIR,
        ]

        private func plan(_ control: inout faults_control, _ call: faults_kind, _ number: Int64) {
            control.kind = Int32(call.rawValue)
            control.at = number
            control.effect = Int32(fault == .kill ? FAULTS_KILL.rawValue : FAULTS_ERROR.rawValue)
            control.error_number = fault == .ENOSPC ? ENOSPC : EIO
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

        private var work: String { folder + "/work" }
        private var template: String { folder + "/template" }
        private var store: String { work + "/Store.granary" }
        private var seedPath: String { work + "/Seed.granary" }
        private var copyPath: String { work + "/Copy.granary" }

        private func restore() throws {
            if FileManager.default.fileExists(atPath: work) { try FileManager.default.removeItem(atPath: work) }
            try FileManager.default.copyItem(atPath: template, toPath: work)
        }

        // MARK: The job

        private static let schema = MigrationWorker.schema(isRequired: false)

        private func makeStores() throws {
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            try MigrationWorker.make(kind.subject, at: store, count: Self.records)
            try MigrationWorker.make(kind.subject, at: seedPath, count: Self.seeded)
        }

        private func open(
            _ path: String, _ schema: Schema = schema, _ migration: MigrationPolicy = .refuse,
            contents: StoreContents? = nil
        ) throws -> any Store {
            let provider = kind.provider(at: path)
            guard let contents else { return try provider.open(schema, migration: migration) }
            return try provider.open(schema, migration: migration, contents: contents)
        }

        private func seed(_ path: String) throws -> StoreContents {
            try Seed.store(kind.provider(at: path)).contents(for: Self.schema, migration: .refuse)
        }

        private func perform() throws {
            switch job {
            case .migrate:
                try open(store, MigrationWorker.schema(isRequired: true), .inferred).close()
                return
            case .alter:
                try open(store, MigrationWorker.alteredSchema, .automatic).close()
                return
            case .seed:
                try open(copyPath, contents: seed(store)).close()
                return
            case .reset, .reseed, .compact, .copy, .backup: break
            }
            let source = try open(store)
            do {
                switch job {
                case .reset: try source.replaceContents(with: .empty)
                case .reseed: try source.replaceContents(with: seed(seedPath))
                case .compact: try source.compact()
                case .copy:
                    let contents = StoreContents { new, _ in
                        let reader = try source.beginRead(CancellationFlag())
                        defer { reader.end() }
                        try StoreTransfer(from: reader, into: new).run()
                    }
                    try open(copyPath, contents: contents).close()
                case .backup: try source.backUp(to: copyPath)
                case .migrate, .alter, .seed: break
                }
            } catch {
                // It goes on with what it has, or says why it does not.
                do { try source.beginRead(CancellationFlag()).end() } catch is GranaryError {}
                try? source.close()
                throw error
            }
            try source.close()
        }

        // MARK: What is there afterwards

        /// - Throws: "old" if what was there is there, another text for what must not be.
        private func check() throws {
            switch job {
            case .migrate, .alter:
                let changed = job == .migrate ? MigrationWorker.schema(isRequired: true) : MigrationWorker.alteredSchema
                let found = try look(store, Self.records)
                guard found.fingerprint != changed.fingerprint else { return }
                throw SweepError(found.fingerprint == Self.schema.fingerprint ? "old" : "it has a third schema")
            case .compact: _ = try look(store, Self.records)
            case .reset, .reseed:
                let after = job == .reset ? 0 : Self.seeded
                let count = try count(store)
                if count != after { try expectOld(count == Self.records) }
                _ = try look(store, after)
            case .copy, .backup, .seed:
                _ = try look(store, Self.records)
                // Made whole, or not at all: then it is made now.
                try open(copyPath).close()
                let count = try count(copyPath)
                if count != Self.records { try expectOld(count == 0) }
                _ = try look(copyPath, Self.records)
            }
        }

        private func expectOld(_ isOld: Bool) throws {
            guard isOld else { throw SweepError("neither what was there nor what was to be") }
            let path = [.copy, .backup, .seed].contains(job) ? copyPath : store
            _ = try look(path, path == store ? Self.records : 0)
            throw SweepError("old")
        }

        private func count(_ path: String) throws -> Int {
            let stack = try Stack(store: kind.provider(at: path))
            defer { try? stack.close() }
            return try stack.read { try $0.count(DynamicQuery("Item")) }
        }

        /// Looks at a whole store, writes to it, and returns its schema.
        private func look(_ path: String, _ count: Int) throws -> Schema {
            let stack = try Stack(store: kind.provider(at: path))
            defer { try? stack.close() }
            func require(_ condition: Bool, _ what: String) throws {
                guard condition else { throw SweepError("\(path): \(what)") }
            }
            try require(stack.verifyNow() == [], "faults are found")
            try stack.read { snapshot in
                try require(snapshot.count(DynamicQuery("Item")) == count, "records are missing")
                try require(
                    snapshot.count(DynamicQuery("Item").where("rank == id AND other != NULL")) == max(0, count - 1),
                    "records are not as they were")
            }
            try stack.write { tx in
                var item = try DynamicRecord("Item", in: tx.schema)
                try item.set("name", to: "after")
                try tx.insert(item)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            try require(names.count { $0.hasPrefix("gen-") } == 1, "generations are left over")
            return stack.schema
        }
    }
#endif
