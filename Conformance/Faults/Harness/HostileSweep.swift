#if os(Linux)
    import Glibc
    import GranaryCore

    /// Puts something else in the place of each name in a store's folder, and in places where a store may have a name: then opens
    /// the store, reads all, verifies, writes, and destroys it.
    struct HostileSweep {
        let kind: StoreKind
        let trials: Int
        let seed: UInt64

        /// What stands at a path of the store instead of its file or folder.
        enum Thing: String, CaseIterable {
            case nothing, empty, junk, huge, folder, fullFolder, fifo, socket, linkToItself, linkToZeros, linkToNothing
        }

        /// Names that a store has at times, beside those that the one that is tried has.
        static let otherNames = [
            "CURRENT.tmp", "LOCK", "external", "external/READERS", "external/writer-1", "gen-0002",
            "gen-9223372036854775807", "gen-0001/db.sqlite-wal", "gen-0001/db.sqlite-shm", "gen-0001/db.sqlite-journal",
            "gen-0001/db.sqlite-commits", "gen-0001/lock.mdb", "gen-0001/open.marker", "notes.txt",
        ]

        func run(_ lane: Lane, _ figures: inout Figures) throws {
            let runner = try HostileRunner(lane.folder, kind, seed)
            let all = runner.places.flatMap { place in
                Thing.allCases.map { HostileStore(kind: kind, seed: seed, place: place, thing: $0) }
            }
            for number in 0..<min(trials, all.count) where lane.takes(number) {
                try runner.run(all[number * all.count / min(trials, all.count)], &figures)
            }
        }
    }

    /// One store with something else in one place.
    struct HostileStore {
        let kind: StoreKind
        let seed: UInt64
        /// Below the store's folder.
        let place: String
        let thing: HostileSweep.Thing

        var trial: String { "hostile store=\(kind) seed=\(seed) place=\(place) thing=\(thing)" }
    }

    final class HostileRunner {
        private let path: String
        private let kind: StoreKind
        private let seed: UInt64
        private let board: Board
        private let copy: Files.Copy
        private let world: World

        init(_ folder: String, _ kind: StoreKind, _ seed: UInt64) throws {
            (path, self.kind, self.seed) = ("\(folder)/Hostile.granary", kind, seed)
            let board = try Board()
            self.board = board
            let workload = Workload(kind: kind, path: path, seed: seed)
            guard try Child.run({ workload.run(board) }) == .exited(0) else {
                throw HarnessError("a store could not be made")
            }
            var world = World()
            for step in 0..<workload.steps { world.applyStep(step, seed: seed, writer: 1) }
            self.world = world
            copy = try Files.copy(path)
        }

        var places: [String] {
            let own = copy.contents.map(\.path)
            return own + HostileSweep.otherNames.filter { !own.contains($0) }
        }

        func run(_ trial: HostileStore, _ figures: inout Figures) throws {
            Files.remove(path)
            try Files.restore(copy, to: path)
            let full = "\(path)/\(trial.place)"
            let parent = String(full[..<(full.lastIndex(of: "/") ?? full.endIndex)])
            if Files.status(parent) == nil, mkdir(parent, 0o700) != 0 { throw HarnessError("no folder \(parent)") }
            Files.remove(full)
            try Self.put(trial.thing, at: full)
            figures.count("trials")
            for action in ["open", "destroy"] {
                board.clear()
                let end = try Child.run {
                    if action == "open" {
                        Inspection(kind: kind, path: path, allowed: [world]).run(board)
                    } else {
                        destroy()
                    }
                }
                judge(trial, action, end, &figures)
            }
            Files.remove(path)
        }

        private func destroy() {
            do {
                try kind.destroy(path)
                board.write("destroyed")
            } catch let error as GranaryError {
                board.write("refused destroy \(error.code)")
            } catch {
                board.write("fault destroy: \(error) is not typed")
            }
        }

        private func judge(_ trial: HostileStore, _ action: String, _ end: Child.End, _ figures: inout Figures) {
            let lines = board.lines
            let detail = "\(action): \(end) after \(lines.last ?? "nothing")"
            if end.isHang { return figures.fail("hang", trial.trial, detail) }
            if end != .exited(0) { return figures.fail("crash", trial.trial, detail) }
            if let fault = lines.first(where: { $0.hasPrefix("fault ") }) {
                return figures.fail("error not typed", trial.trial, fault)
            }
            let refused = lines.first { $0.hasPrefix("refused ") }
            if let wrong = lines.first(where: { $0.hasPrefix("wrong ") || $0.hasPrefix("lost ") }), refused == nil {
                return figures.fail("silently wrong", trial.trial, wrong)
            }
            let words = refused?.split(separator: " ").prefix(3).joined(separator: " ")
            figures.count(words ?? (action == "destroy" ? "destroyed" : "right content"))
        }

        private static func put(_ thing: HostileSweep.Thing, at path: String) throws {
            switch thing {
            case .nothing: break
            case .empty: try Files.write([], to: path)
            case .junk: try Files.write((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }, to: path)
            case .huge:
                try Files.write([1], to: path)
                guard truncate(path, 1 << 41) == 0 else { throw HarnessError("no file of 2 TB: \(errno)") }
            case .folder: _ = mkdir(path, 0o700)
            case .fullFolder:
                _ = mkdir(path, 0o700)
                try Files.write([1], to: path + "/inner")
            case .fifo: _ = mkfifo(path, 0o600)
            case .socket: _ = mknod(path, S_IFSOCK | 0o600, 0)
            case .linkToItself: _ = symlink(path, path)
            case .linkToZeros: _ = symlink("/dev/zero", path)
            case .linkToNothing: _ = symlink("/nothing/there", path)
            }
        }
    }

    extension HostileStore {
        init(_ words: TrialWords) throws {
            guard let thing = HostileSweep.Thing(rawValue: try words.text("thing")) else {
                throw TrialError("no such thing")
            }
            self.init(
                kind: try words.store(), seed: try words.seed(), place: try words.text("place"), thing: thing)
        }
    }
#endif
