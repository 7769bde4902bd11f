import CSQLite
import GranaryStoreKit
import GranaryPlatform

/// The single row of `granary:commit`: the number of the last commit, and its committer. Written in the transaction
/// itself, so that after a failed commit the file shows whether the commit was made.
struct CommitRecord: Equatable {
    var number: UInt64
    /// A random number of the store object that committed. Its last bit does not identify the committer: see
    /// ``rewritten``.
    var committer: Int64

    /// The same commit by the same store object in other bytes. Setting a row to its present value would write nothing.
    var rewritten: CommitRecord { CommitRecord(number: number, committer: committer ^ 1) }

    func isSameCommit(as other: CommitRecord) -> Bool {
        number == other.number && committer | 1 == other.committer | 1
    }

    /// The check value over both numbers.
    var check: Int64 {
        Int64(
            bitPattern: hashFold(number ^ 0x9E37_79B9_7F4A_7C15, UInt64(bitPattern: committer) ^ 0xA076_1D64_78BD_642F))
    }

    private var values: String { "\(Int64(bitPattern: number)), \(committer), \(check)" }

    func insert(_ connection: Connection) throws {
        try connection.execute("INSERT INTO \"granary:commit\" VALUES (1, \(values))")
    }

    func write(_ connection: Connection) throws {
        try connection.execute(
            "UPDATE \"granary:commit\" SET (\"number\", \"committer\", \"check\") = (\(values)) WHERE \"id\" = 1")
    }

    static let query = "SELECT \"number\", \"committer\", \"check\" FROM \"granary:commit\" WHERE \"id\" = 1"

    init(number: UInt64, committer: Int64) {
        self.number = number
        self.committer = committer
    }

    /// Reads the record with a statement for ``query``, which is reset afterwards.
    init(_ statement: Statement) throws {
        guard try statement.step() else { throw CommitRecord.damaged }
        let cells = (statement.cell(at: 0), statement.cell(at: 1), statement.cell(at: 2))
        statement.reset()
        guard cells.0.kind == .integer, cells.1.kind == .integer, cells.2.kind == .integer else {
            throw CommitRecord.damaged
        }
        self.init(number: UInt64(bitPattern: cells.0.integerValue), committer: cells.1.integerValue)
        guard check == cells.2.integerValue, number <= StoredCount.limit else { throw CommitRecord.damaged }
    }

    private static var damaged: GranaryError {
        .damaged("The record of commits")
    }
}
