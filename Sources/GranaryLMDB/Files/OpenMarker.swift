import GranaryStoreKit
import GranaryPlatform

/// Shows which processes have the environment open, and whether its file is as the last user left it.
///
/// `open.marker` holds two locks and one line of text. The *gate* is held, exclusively, by the process that is opening
/// or closing, so that neither happens twice at once. The *users* lock is shared by every process that has the
/// environment open; a process that holds the gate and gets this lock exclusively is alone. The first user replaces the
/// line, and syncs it, before the file can change. The last one writes it again when closing: the number, size and time
/// of change of the data file. So a process that died, a lost write of the line, a copied folder and a data file edited
/// by other means all have the same effect: the line does not match the file, and the file is walked before it is
/// mapped.
struct OpenMarker: Sendable {
    private let file: OpenFile
    private let dataPath: String
    private static let gate = OpenFile.LockExtent.byte(1 << 40)
    private static let users = OpenFile.LockExtent.byte((1 << 40) + 1)

    init(folder: String, dataPath: String) throws {
        file = try OpenFile(folder + "/open.marker", .writingOrCreating)
        file.copyMode(of: dataPath)
        self.dataPath = dataPath
    }

    /// Waits for the gate. Until ``leaveGate()`` no other process opens or closes the environment.
    func enterGate(until deadline: Deadline) throws {
        guard try file.lock(.exclusive, on: Self.gate, until: deadline) else {
            throw GranaryError(
                .busy,
                "another process has been opening or closing \(dataPath) for \(deadline.waitedText). Try again later.")
        }
    }

    func leaveGate() { file.unlock(Self.gate) }

    /// Whether no other process has the environment open. The gate must be held.
    func becomeSoleUser() throws -> Bool { try file.tryLock(.exclusive, on: Self.users) }

    /// Counts this process among the users. The gate must be held.
    func join() throws {
        guard try file.tryLock(.shared, on: Self.users) else {
            throw GranaryError.inUse(dataPath)
        }
    }

    func leave() { file.unlock(Self.users) }

    var isClean: Bool {
        guard let bytes = try? file.readAll(limit: 256), !bytes.isEmpty, let line = fingerprint() else { return false }
        return bytes.elementsEqual(line.utf8)
    }

    func markInUse() throws {
        try file.truncate(to: 0)
        try file.synchronize()
    }

    /// A failure does no harm: the next opening walks the file.
    func markClean() {
        guard let line = fingerprint() else { return }
        try? file.truncate(to: 0)
        try? file.write(Array(line.utf8))
    }

    private func fingerprint() -> String? {
        guard let status = try? FileSystem.status(dataPath) else { return nil }
        let (identity, time) = (status.identity, status.changed)
        return "clean \(identity.device) \(identity.inode) \(status.size) \(time.seconds).\(time.nanoseconds)\n"
    }
}
