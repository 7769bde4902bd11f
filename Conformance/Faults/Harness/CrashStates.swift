#if os(Linux)
    import FaultShim
    import Glibc

    /// A change of files, as the shim recorded it.
    struct RecordedChange {
        var kind: UInt32
        var folder, other, file: UInt64
        var offset: Int
        var isDurable: Bool
        var name = "", newName = ""
        var bytes: [UInt8] = []

        var isMark: Bool { kind == FAULTS_MARKED.rawValue }
        /// The line that a mark in the record carries.
        var line: String { String(decoding: bytes, as: UTF8.self) }

        static func all(_ control: faults_control) throws -> [RecordedChange] {
            guard let log = control.log, control.log_overflowed == 0 else {
                throw HarnessError("the record is too long")
            }
            var changes: [RecordedChange] = []
            var (at, end) = (UnsafeRawPointer(log), UnsafeRawPointer(log) + Int(control.log_used))
            while at < end {
                let header = at.loadUnaligned(as: faults_change.self)
                at += MemoryLayout<faults_change>.size
                let name = UnsafeRawBufferPointer(start: at, count: Int(header.name_length))
                at += name.count
                let bytes = UnsafeRawBufferPointer(start: at, count: Int(header.byte_count))
                // What is truncated or extended has a size and no bytes.
                at += bytes.count
                let names = name.split(separator: 0, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
                changes.append(
                    RecordedChange(
                        kind: header.kind, folder: header.folder, other: header.other, file: header.file,
                        offset: Int(header.offset), isDurable: header.is_durable != 0, name: names.first ?? "",
                        newName: names.count > 1 ? names[1] : "", bytes: Array(bytes)))
            }
            end = at
            return changes
        }
    }

    /// What a disk may hold after a loss of power, worked out from the recorded changes.
    ///
    /// The rule is what POSIX promises and no more. A file's bytes and size are sure once the file was synced; a name in a
    /// folder is sure once that folder was synced, and syncing the file does not help. Of what is not sure, each change
    /// may have reached the disk or not, in any order, and a write may have been torn at a sector of 512 bytes. A rename
    /// happens whole or not at all. A sync that fails leaves some writes on the disk and loses the others for good: a later sync
    /// that succeeds does not bring them back.
    struct CrashStates {
        /// Sure bytes, by file.
        private var bytes: [UInt64: [UInt8]] = [:]
        /// Sure names, by folder.
        private var names: [UInt64: [String: UInt64]] = [:]
        private var pending: [RecordedChange] = []
        private let root: UInt64
        /// For what a failed sync leaves.
        private var numbers: SeededNumbers

        init(root: UInt64, seed: UInt64) {
            self.root = root
            numbers = SeededNumbers(seed)
            names[root] = [:]
        }

        static let sector = 512

        /// How the changes that are not sure are chosen.
        enum Choice: Int, CaseIterable {
            /// Nothing of them, or all: the oldest and the newest disk there can be.
            case nothing, everything
            /// Names in their order up to some point, bytes by chance.
            case ordered
            /// Each by chance.
            case any
            /// Each by chance, and writes torn.
            case torn
        }

        mutating func add(_ change: RecordedChange) {
            switch faults_change_kind(change.kind) {
            case FAULTS_MARKED: break
            case FAULTS_SYNCED:
                let rest = pending.filter { !Self.is($0, settledBy: change.file) }
                for settled in pending where Self.is(settled, settledBy: change.file) { apply(settled) }
                pending = rest
            case FAULTS_NOT_SYNCED:
                for lost in pending where Self.is(lost, settledBy: change.file) && numbers.below(2) == 0 { apply(lost) }
                pending.removeAll { Self.is($0, settledBy: change.file) }
            case FAULTS_WRITTEN where change.isDurable:
                // The descriptor syncs this write alone; earlier ones to the file stay as they are.
                apply(change)
            default: pending.append(change)
            }
        }

        private static func `is`(_ change: RecordedChange, settledBy file: UInt64) -> Bool {
            switch faults_change_kind(change.kind) {
            case FAULTS_WRITTEN, FAULTS_TRUNCATED, FAULTS_EXTENDED: change.file == file
            default: change.folder == file || (change.other == file && change.other != 0)
            }
        }

        private mutating func apply(_ change: RecordedChange) { apply(change, keeping: nil) }

        /// - Parameter sectors: Which sectors of a write are kept; nil for all.
        private mutating func apply(_ change: RecordedChange, keeping sectors: [Bool]?) {
            switch faults_change_kind(change.kind) {
            case FAULTS_CREATED: names[change.folder, default: [:]][change.name] = change.file
            case FAULTS_MADE:
                names[change.folder, default: [:]][change.name] = change.file
                names[change.file] = names[change.file] ?? [:]
            case FAULTS_REMOVED: names[change.folder]?[change.name] = nil
            case FAULTS_RENAMED:
                guard let file = names[change.folder]?[change.name] else { return }
                names[change.folder]?[change.name] = nil
                names[change.other, default: [:]][change.newName] = file
            case FAULTS_WRITTEN:
                let end = change.offset + change.bytes.count
                extend(change.file, to: end)
                guard let sectors else {
                    bytes[change.file]?.replaceSubrange(change.offset..<end, with: change.bytes)
                    return
                }
                var start = change.offset
                var index = 0
                while start < end {
                    // Sectors lie at multiples of their size in the file.
                    let next = min(end, (start / Self.sector + 1) * Self.sector)
                    if sectors[index % sectors.count] {
                        bytes[change.file]?.replaceSubrange(
                            start..<next, with: change.bytes[start - change.offset..<next - change.offset])
                    }
                    (start, index) = (next, index + 1)
                }
            case FAULTS_TRUNCATED:
                extend(change.file, to: change.offset)
                let count = bytes[change.file]?.count ?? 0
                bytes[change.file]?.removeLast(count - change.offset)
            case FAULTS_EXTENDED: extend(change.file, to: change.offset)
            default: break
            }
        }

        private mutating func extend(_ file: UInt64, to count: Int) {
            let now = bytes[file, default: []].count
            if now < count { bytes[file, default: []].append(contentsOf: repeatElement(0, count: count - now)) }
        }

        /// One of the disks that a loss of power may leave now.
        func state(_ choice: Choice, _ numbers: inout SeededNumbers) -> CrashStates {
            var state = self
            state.pending = []
            var namesLeft = numbers.below(pending.count + 1)
            for change in pending {
                let isBytes = [FAULTS_WRITTEN, FAULTS_TRUNCATED, FAULTS_EXTENDED].contains(
                    faults_change_kind(change.kind))
                switch choice {
                case .nothing: break
                case .everything: state.apply(change)
                case .ordered:
                    if isBytes ? numbers.below(2) == 0 : namesLeft > 0 { state.apply(change) }
                    namesLeft -= 1
                case .any: if numbers.below(2) == 0 { state.apply(change) }
                case .torn:
                    if change.kind == FAULTS_WRITTEN.rawValue {
                        let sectors = (0..<64).map { _ in numbers.below(2) == 0 }
                        state.apply(change, keeping: sectors)
                    } else if numbers.below(2) == 0 {
                        state.apply(change)
                    }
                }
            }
            return state
        }

        /// Writes the disk's files into a folder.
        func write(to folder: String) throws {
            try Files.makeEmpty(folder)
            try write(root, folder)
        }

        private func write(_ file: UInt64, _ path: String) throws {
            for (name, child) in names[file] ?? [:] {
                let full = "\(path)/\(name)"
                if names[child] != nil {
                    guard mkdir(full, 0o700) == 0 else { throw HarnessError("no folder \(full): \(errno)") }
                    try write(child, full)
                } else {
                    try Files.write(bytes[child] ?? [], to: full)
                }
            }
        }
    }
#endif
