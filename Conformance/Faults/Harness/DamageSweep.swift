#if os(Linux)
    import Glibc
    import GranaryCore

    /// Damages the files of stores, opens them, reads all, verifies and writes.
    struct DamageSweep {
        let kind: StoreKind
        let trials: Int
        let seed: UInt64

        /// What becomes of a file's bytes.
        enum Damage: Int, CaseIterable {
            case bit, bits, headerBits, firstPages, truncation, zeroedSector, randomSector, swappedPages, zeroedPage
        }

        /// Where the damage is.
        enum Place: Int, CaseIterable {
            /// In a store that was closed; its files look changed, as those of a copy do.
            case copy
            /// In a store that was closed, without a trace in the file's time of change: the disk has decayed.
            case inPlace
            /// In a store whose process was killed, with its log.
            case live
        }

        func run(_ lane: Lane, _ figures: inout Figures) throws {
            let runner = try DamageRunner(lane.folder)
            for number in 0..<trials where lane.takes(number) {
                // A store for some trials, then another: making one takes longer than a trial.
                try runner.run(
                    DamagedStore(
                        kind: kind, seed: seed &+ UInt64(number / 1000), place: Place.allCases[number / lane.count % 3],
                        damage: Damage.allCases[number / (3 * lane.count) % 9], number: number), &figures)
            }
        }
    }

    /// One damaged store.
    struct DamagedStore {
        let kind: StoreKind
        let seed: UInt64
        let place: DamageSweep.Place
        let damage: DamageSweep.Damage
        /// What chance begins with, beside the seed.
        let number: Int

        var trial: String {
            "damage store=\(kind) seed=\(seed) place=\(place) damage=\(damage) number=\(number)"
        }
    }

    final class DamageRunner {
        /// A store and what it holds.
        private struct Template {
            let name: String
            let path: String
            let copy: Files.Copy
            /// The content after each step, the last one last.
            let worlds: [World]
        }

        private let folder: String
        private let board: Board
        private var templates: [Template] = []

        init(_ folder: String) throws {
            self.folder = folder
            board = try Board()
        }

        private func template(_ trial: DamagedStore) throws -> Template {
            let isLive = trial.place == .live
            let name = "\(trial.kind)-\(trial.seed)-\(isLive)"
            if let template = templates.first(where: { $0.name == name }) { return template }
            // The trials' stores change one after the other: those of before are not asked for again.
            if templates.count >= 2 { Files.remove(templates.removeFirst().path) }
            let path = "\(folder)/\(name).granary"
            Files.remove(path)
            board.clear()
            let end = try Child.run {
                // Twelve steps and no closing leave a log.
                Workload(kind: trial.kind, path: path, seed: trial.seed, steps: isLive ? 14 : 12, isKilledAtEnd: isLive)
                    .run(self.board)
            }
            guard isLive ? end == .signal(SIGKILL) : end == .exited(0) else {
                throw HarnessError("a store could not be made: \(end)")
            }
            var worlds = [World()]
            for step in 0..<(isLive ? 14 : 12) {
                var world = worlds[worlds.count - 1]
                world.applyStep(step, seed: trial.seed, writer: 1)
                worlds.append(world)
            }
            let template = Template(name: name, path: path, copy: try Files.copy(path), worlds: worlds)
            templates.append(template)
            return template
        }

        func run(_ trial: DamagedStore, _ figures: inout Figures) throws {
            let template = try template(trial)
            try Files.restore(template.copy, to: template.path)
            var numbers = SeededNumbers(trial.seed &* 104_729 &+ UInt64(trial.number))
            let file = try choose(trial, template, &numbers)
            guard let bytes = file.bytes else { return }
            let damaged = Self.damage(bytes, trial.damage, &numbers)
            let full = "\(template.path)/\(file.path)"
            try Files.write(damaged, to: full)
            if trial.place == .inPlace { try Files.setTime(file.changed, of: full) }
            figures.count("trials")

            board.clear()
            let end = try Child.run {
                Inspection(kind: trial.kind, path: template.path, allowed: template.worlds.reversed()).run(self.board)
            }
            judge(trial, file.path, end, board.lines, &figures)
        }

        /// Mostly the file with the records; in a store that is live, its log as often.
        private func choose(
            _ trial: DamagedStore, _ template: Template, _ numbers: inout SeededNumbers
        ) throws -> (path: String, bytes: [UInt8]?, changed: timespec) {
            let files = template.copy.contents.filter { $0.bytes.map { !$0.isEmpty } ?? false }
            let main = files.filter { file in
                file.path.hasSuffix(trial.kind.dataFile) || trial.place == .live && file.path.hasSuffix("-wal")
            }
            let chosen = numbers.below(8) == 0 || main.isEmpty ? files : main
            guard !chosen.isEmpty else { throw HarnessError("the store has no files") }
            return chosen[numbers.below(chosen.count)]
        }

        private func judge(
            _ trial: DamagedStore, _ file: String, _ end: Child.End, _ lines: [String], _ figures: inout Figures
        ) {
            let detail = "\(file): \(end) after \(lines.last ?? "nothing")"
            if end.isHang { return figures.fail("hang", trial.trial, detail) }
            if end != .exited(0) { return figures.fail("crash \(trial.place)", trial.trial, detail) }
            if let fault = lines.first(where: { $0.hasPrefix("fault ") }) {
                return figures.fail("error not typed", trial.trial, fault)
            }
            let isRefused = lines.contains { $0.hasPrefix("refused ") }
            let isNoticed = isRefused || lines.contains { $0.hasPrefix("defect ") }
            let index = lines.first { $0.hasPrefix("right ") }.flatMap { Int($0.dropFirst(6)) }
            if lines.contains(where: { $0.hasPrefix("refused open ") }) { return figures.count("refused when opened") }
            if isNoticed, !lines.contains(where: { $0.hasPrefix("wrong ") }) {
                if isRefused { return figures.count("refused later") }
                return figures.count(
                    index == 0 ? "right content, found by verify" : "content of an earlier commit, found by verify")
            }
            if let wrong = lines.first(where: { $0.hasPrefix("wrong ") }) {
                if isNoticed { return figures.count("wrong content, found by verify or refused later") }
                guard trial.kind.hasChecksums else { return figures.count("wrong content, not noticed (no checksums)") }
                return figures.fail("silently wrong", trial.trial, "\(file): \(wrong)")
            }
            if let lost = lines.first(where: { $0.hasPrefix("lost ") }) {
                guard trial.kind.hasChecksums else { return figures.count("wrong content, not noticed (no checksums)") }
                return figures.fail("silently wrong", trial.trial, "\(file): after writing, \(lost)")
            }
            // The number beside the database shows it.
            if index != 0, file.hasSuffix("-wal") {
                return figures.fail("commits silently missing", trial.trial, file)
            }
            figures.count(index == 0 ? "right content" : "content of an earlier commit (\(trial.place))")
        }

        static func damage(
            _ bytes: [UInt8], _ damage: DamageSweep.Damage, _ numbers: inout SeededNumbers
        ) -> [UInt8] {
            var bytes = bytes
            let page = 4096
            let pages = (bytes.count + page - 1) / page
            func range(_ start: Int, _ count: Int) -> Range<Int> {
                min(start, bytes.count)..<min(start + count, bytes.count)
            }
            switch damage {
            case .bit: bytes[numbers.below(bytes.count)] ^= 1 << UInt8(numbers.below(8))
            case .bits:
                for _ in 0...numbers.below(8) { bytes[numbers.below(bytes.count)] ^= 1 << UInt8(numbers.below(8)) }
            case .headerBits:
                for _ in 0...numbers.below(4) {
                    let at = numbers.below(pages) * page + numbers.below(64)
                    if at < bytes.count { bytes[at] ^= 1 << UInt8(numbers.below(8)) }
                }
            case .firstPages:
                for _ in 0...numbers.below(4) {
                    bytes[numbers.below(min(bytes.count, page + 256))] ^= 1 << UInt8(numbers.below(8))
                }
            case .truncation: bytes.removeLast(1 + numbers.below(bytes.count))
            case .zeroedSector:
                for at in range(numbers.below((bytes.count + 511) / 512) * 512, 512) { bytes[at] = 0 }
            case .randomSector:
                for at in range(numbers.below((bytes.count + 511) / 512) * 512, 512) {
                    bytes[at] = UInt8(numbers.below(256))
                }
            case .swappedPages:
                let (one, two) = (numbers.below(pages) * page, numbers.below(pages) * page)
                for offset in 0..<page where max(one, two) + offset < bytes.count {
                    bytes.swapAt(one + offset, two + offset)
                }
            case .zeroedPage: for at in range(numbers.below(pages) * page, page) { bytes[at] = 0 }
            }
            return bytes
        }
    }

    extension DamagedStore {
        init(_ words: TrialWords) throws {
            let (place, damage) = (try words.text("place"), try words.text("damage"))
            guard let place = DamageSweep.Place.allCases.first(where: { "\($0)" == place }),
                let damage = DamageSweep.Damage.allCases.first(where: { "\($0)" == damage })
            else { throw TrialError("no such place or damage") }
            self.init(
                kind: try words.store(), seed: try words.seed(), place: place, damage: damage,
                number: try words.number("number"))
        }
    }
#endif
