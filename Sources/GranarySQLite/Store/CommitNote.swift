import GranaryPlatform
import GranaryStoreKit

/// The number of the last commit, in a file of its own beside the database.
///
/// The problem: after an unclean end SQLite uses its log up to the first part with a wrong checksum. It cannot
/// distinguish damage there from a commit that was being written, and the record of commits goes back with everything
/// else. So the database does not show that commits are missing.
///
/// The rule: the number is written after its commit was synced, and is not synced itself. So it can be behind, after a
/// kill or a loss of power, but it is never ahead of a database that has lost nothing. A number that is lower than the
/// one in the file is not written, so that the next commit does not hide a loss.
///
/// Only the owner of the turn to write uses an object of this class, so it needs no lock. Reading the number needs no
/// object.
final class CommitNote {
    private let database: String
    private var file: OpenFile?
    /// The greatest number known to be in the file.
    private var last: UInt64 = 0

    /// Opens nothing yet.
    init(database: String) { self.database = database }

    static func path(ofDatabase database: String) -> String { database + "-commits" }

    /// Notes a durable commit. A failure does no harm: the note stays behind.
    func write(_ number: UInt64) {
        do {
            let opened = try self.file ?? self.open()
            guard number > last else { return }
            try opened.write(CommitNote.bytes(number))
            last = number
        } catch {
            file = nil
        }
    }

    /// Closes the file. The next commit opens it again.
    func close() { file = nil }

    private func open() throws -> OpenFile {
        let opened = try OpenFile(CommitNote.path(ofDatabase: database), .writingOrCreating)
        opened.copyMode(of: database)
        last = CommitNote.number(in: opened) ?? 0
        file = opened
        return opened
    }

    /// The last noted number; nil if the file does not exist, cannot be read or is damaged.
    static func number(ofDatabase database: String) -> UInt64? {
        guard let file = try? OpenFile(path(ofDatabase: database), .reading) else { return nil }
        return number(in: file)
    }

    private static func number(in file: OpenFile) -> UInt64? {
        guard let bytes = try? file.readAll(limit: 16), bytes.count == 16 else { return nil }
        func integer(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        let number = integer(bytes[..<8])
        return integer(bytes[8...]) == check(number) ? number : nil
    }

    /// The number and its check value, each with its highest byte first.
    private static func bytes(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for value in [number, check(number)] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        return bytes
    }

    private static func check(_ number: UInt64) -> UInt64 {
        UInt64(bitPattern: CommitRecord(number: number, committer: 0).check)
    }
}
