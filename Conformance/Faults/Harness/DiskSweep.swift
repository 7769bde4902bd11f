#if os(Linux)
    import Glibc

    /// Runs workloads on a small disk with little room left, and looks at their stores when there is room again.
    ///
    /// Mounting needs the rights of root. Without them nothing is tried, and each disk is reported as skipped.
    struct DiskSweep {
        let kind: StoreKind
        let trials: Int
        let seed: UInt64

        /// What is mounted: small blocks leave holes in pages that are mapped, and a store in memory has no blocks at all.
        enum Disk: String, CaseIterable {
            case ext1k, ext4k, tmpfs

            func mount(_ folder: String, image: String) -> Bool {
                let commands =
                    switch self {
                    case .tmpfs: "mount -t tmpfs -o size=4m tmpfs '\(folder)'"
                    case .ext1k, .ext4k:
                        "truncate -s 4m '\(image)' && mkfs.ext4 -q -F -m 0 -b \(self == .ext1k ? 1024 : 4096) '\(image)' "
                            + "&& mount -o loop '\(image)' '\(folder)'"
                    }
                return system("{ \(commands); } >/dev/null 2>&1") == 0
            }
        }

        func run(_ lane: Lane, _ figures: inout Figures) throws {
            for (index, disk) in Disk.allCases.enumerated() {
                let mount = "\(lane.folder)/mount"
                try Files.makeEmpty(mount)
                guard disk.mount(mount, image: "\(lane.folder)/image") else {
                    figures.skip("\(disk): mounting it is not permitted here")
                    continue
                }
                defer { _ = system("umount -l '\(mount)'") }
                let runner = try DiskRunner(mount)
                for number in 0..<trials where lane.takes(number) && number / lane.count % Disk.allCases.count == index
                {
                    var numbers = SeededNumbers(seed &* 52_361 &+ UInt64(number))
                    try runner.run(
                        FullDisk(kind: kind, seed: seed &+ UInt64(number), disk: disk, room: numbers.below(400)),
                        &figures)
                }
            }
        }
    }

    /// One workload on a disk that gets full.
    struct FullDisk {
        let kind: StoreKind
        let seed: UInt64
        let disk: DiskSweep.Disk
        /// How many blocks of 1 KiB are left when it begins.
        let room: Int

        var trial: String { "disk store=\(kind) seed=\(seed) disk=\(disk) room=\(room)" }
    }

    struct DiskRunner {
        let mount: String
        let board: Board

        init(_ mount: String) throws {
            self.mount = mount
            board = try Board()
        }

        func run(_ trial: FullDisk, _ figures: inout Figures) throws {
            let path = "\(mount)/Store.granary"
            let filler = "\(mount)/filler"
            Files.remove(path)
            Files.remove(filler)
            try fill(filler, leaving: trial.room)
            board.clear()
            let workload = Workload(kind: trial.kind, path: path, seed: trial.seed, diesOnFailure: trial.seed % 3 == 0)
            let end = try Child.run { workload.run(board) }
            let story = Story(board.lines, seed: trial.seed, writer: 1)
            figures.count("trials")
            figures.count("writes acknowledged", story.committed)
            figures.count("writes acknowledged, behind another one", story.committedMembers)
            for code in story.codes { figures.count("threw \(code)") }
            let last = board.lines.last ?? "nothing"
            if end.isHang { figures.fail("hang", trial.trial, "after \(last)") }
            if end.isCrash { figures.fail("crash", trial.trial, "\(end) after \(last)") }
            for fault in story.faults.prefix(1) { figures.fail("told wrong", trial.trial, fault) }
            if let code = story.codes.first(where: { $0 != "full" && $0 != "commitOutcomeUnknown" }) {
                figures.fail("wrong code", trial.trial, "a full disk is reported as \(code)")
            }
            // There is room again.
            Files.remove(filler)
            let findings = try Inspection(kind: trial.kind, path: path, allowed: story.allowed).findings(board)
            if let fault = findings.fault {
                figures.fail(fault.contains("wrong ") ? "outcome" : "store", trial.trial, "told \(last), \(fault)")
            }
        }

        /// Writes until nothing more fits, then gives the room back.
        private func fill(_ path: String, leaving room: Int) throws {
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
            guard descriptor >= 0 else { throw HarnessError("no filler: \(errno)") }
            defer { close(descriptor) }
            let block = [UInt8](repeating: 1, count: 64 << 10)
            var (size, count) = (0, block.count)
            while count >= 1024 {
                let written = pwrite(descriptor, block, count, off_t(size))
                if written > 0 { size += written } else { count /= 2 }
            }
            guard ftruncate(descriptor, off_t(max(0, size - room << 10))) == 0 else {
                throw HarnessError("no room: \(errno)")
            }
        }
    }

    extension FullDisk {
        init(_ words: TrialWords) throws {
            guard let disk = DiskSweep.Disk(rawValue: try words.text("disk")) else { throw TrialError("no such disk") }
            self.init(kind: try words.store(), seed: try words.seed(), disk: disk, room: try words.number("room"))
        }

        /// Runs the trial on a disk of its own.
        func run(in folder: String, _ figures: inout Figures) throws {
            let mount = "\(folder)/mount"
            try Files.makeEmpty(mount)
            guard disk.mount(mount, image: "\(folder)/image") else {
                throw HarnessError("mounting is not permitted here")
            }
            defer { _ = system("umount -l '\(mount)'") }
            try DiskRunner(mount).run(self, &figures)
        }
    }
#endif
