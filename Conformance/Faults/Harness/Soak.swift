#if os(Linux)
    import Glibc
    import GranaryCore

    /// Uses one store for a long time: a writer and readers in one process, which is killed now and then, and another
    /// writer beside it. Memory, descriptors and files must stay as they were after the start.
    struct Soak {
        let kind: StoreKind
        let seconds: Int
        let folder: String
        /// How long a process writes before it is killed.
        static let life = 20

        struct Sample {
            var memory = 0, descriptors = 0, bytes = 0
        }

        /// Prints a line for each process, and says whether all was right.
        func run() throws -> Bool {
            let path = "\(folder)/Store.granary"
            // Room for all the lines that a process writes in its life.
            let (main, other) = (try Board(capacity: 64 << 20), try Board(capacity: 64 << 20))
            let inspection = try Board()
            let start = time(nil)
            var (worlds, steps, isRight) = ([World(), World()], 0, true)
            var samples: [Sample] = []
            var numbers = SeededNumbers(1)
            while time(nil) - start < seconds {
                for board in [main, other] { board.clear() }
                let boards = [main, other]
                let children = try (0..<2).map { index in
                    try Child(deadline: UInt32(Self.life * 4)) {
                        SoakWriter(kind: kind, path: path, writer: Int64(index + 1), hasReaders: index == 0).run(
                            boards[index])
                    }
                }
                let begun = time(nil)
                while time(nil) - begun < min(Self.life, seconds), children.allSatisfy({ $0.isRunning }) {
                    usleep(100_000)
                }
                usleep(UInt32(numbers.below(50_000)))
                let sample = Self.sample(children[0].process, path)
                for child in children { child.kill() }
                for child in children {
                    let end = child.wait()
                    if end != .signal(SIGKILL) {
                        isRight = false
                        print("FAILED: a writer ended with \(end): \(boards.map { $0.lines.last ?? "" })")
                    }
                }
                let stories = (0..<2).map {
                    Story(
                        boards[$0].lines, seed: 1, writer: Int64($0 + 1),
                        from: worlds[$0], groupsAreWhole: true)
                }
                var allowed = [World()]
                for story in stories {
                    for line in story.faults + story.codes {
                        isRight = false
                        print("FAILED: \(line)")
                    }
                    steps += story.committed
                    allowed = story.allowed.flatMap { mine in
                        allowed.map { world in
                            var world = world
                            world.add(mine)
                            return world
                        }
                    }
                }
                let findings = try Inspection(kind: kind, path: path, allowed: allowed, writes: false).findings(
                    inspection)
                if let fault = findings.fault {
                    print("FAILED: \(fault)")
                    return false
                }
                for number in worlds.indices {
                    worlds[number] = allowed[findings.index ?? 0].part(of: Int64(number + 1))
                }
                samples.append(sample)
                print(
                    "\(kind) \(time(nil) - start) s: \(steps) steps, \(sample.memory) KB of memory, "
                        + "\(sample.descriptors) descriptors, \(sample.bytes / 1024) KB of files")
                fflush(nil)
            }
            return isFlat(samples) && isRight
        }

        /// Compares the last third with the first: processes are equally old when they are looked at.
        private func isFlat(_ samples: [Sample]) -> Bool {
            let third = samples.count / 3
            guard third > 0 else { return true }
            func grows(_ what: String, _ value: (Sample) -> Int, by slack: Double) -> Bool {
                let first = samples.prefix(third).map(value).max() ?? 0
                let last = samples.suffix(third).map(value).min() ?? 0
                guard Double(last) > Double(first) * slack else { return false }
                print("FAILED: \(what) grew from \(first) to \(last)")
                return true
            }
            let growth = [
                grows("memory", \.memory, by: 1.2), grows("the number of descriptors", \.descriptors, by: 1),
                grows("the size of the files", \.bytes, by: 2),
            ]
            return !growth.contains(true)
        }

        private static func sample(_ process: pid_t, _ path: String) -> Sample {
            var sample = Sample()
            // What the process has for itself, without pages of files.
            if let text = text("/proc/\(process)/status") {
                for line in text.split(separator: "\n") where line.hasPrefix("RssAnon:") {
                    sample.memory = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
                }
            }
            sample.descriptors = Files.names("/proc/\(process)/fd").count
            sample.bytes = size(path)
            return sample
        }

        private static func text(_ path: String) -> String? {
            let descriptor = open(path, O_RDONLY)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = read(descriptor, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        private static func size(_ path: String) -> Int {
            guard let status = Files.status(path) else { return 0 }
            guard status.st_mode & S_IFMT == S_IFDIR else { return Int(status.st_blocks) * 512 }
            return Files.names(path).reduce(0) { $0 + size("\(path)/\($1)") }
        }
    }

    /// What a process of the soak does until it is killed.
    private struct SoakWriter {
        let kind: StoreKind
        let path: String
        let writer: Int64
        let hasReaders: Bool

        func run(_ board: Board) {
            if hasReaders { startReaders() }
            Workload(kind: kind, path: path, seed: 1, writer: writer, steps: .max / 2, reopensEvery: 500).run(board)
        }

        /// Two threads that read all there is, again and again: accounts and entries must agree in each.
        private func startReaders() {
            for _ in 0..<2 {
                let work = ReaderWork(kind: kind, path: path)
                var thread = pthread_t()
                pthread_create(
                    &thread, nil,
                    { pointer in
                        Unmanaged<ReaderWork>.fromOpaque(pointer!).takeRetainedValue().run()
                        return nil
                    }, Unmanaged.passRetained(work).toOpaque())
            }
        }
    }

    private final class ReaderWork {
        let kind: StoreKind
        let path: String

        init(kind: StoreKind, path: String) { (self.kind, self.path) = (kind, path) }

        func run() {
            while true {
                guard let stack = try? kind.open(path) else { usleep(10_000); continue }
                for _ in 0..<200 {
                    do {
                        let world = try stack.blocking.read { try World($0) }
                        let lost = world.entries.values.filter { world.accounts[$0.account.key] == nil }
                        if !lost.isEmpty {
                            complain("FAILED: a reader saw entries without their accounts\n")
                            abort()
                        }
                    } catch {
                        complain("FAILED: a reader threw \(error)\n")
                        abort()
                    }
                    usleep(2000)
                }
                try? stack.blocking.close()
            }
        }
    }
#endif
