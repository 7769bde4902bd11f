import GranaryStoreKit

/// The prepared statements that a session keeps for the next query with the same text, or of the same shape. If there
/// are too many, the one that was not used for the longest time is removed.
///
/// A statement in use stays in the cache, with ``Statement/isLent`` set. For the thread that uses the session.
final class StatementCache {
    private static let size = 64

    /// The statements by their text.
    private var statements: [String: Statement] = [:]
    /// The statement lent last, if it is kept.
    private var recent: Statement?
    /// Statements that were written for plain requests, and the hashes of their shapes.
    private var shaped: [Statement] = []
    private var shapeHashes: [UInt64] = []
    private var uses = 0

    /// The statement for a text. Often it is the same as the last time, which comparing the texts shows faster than a
    /// hash.
    func statement(of text: String) -> Statement? {
        if let recent, recent.isKept, recent.sql == text { return recent }
        return statements[text]
    }

    /// An unused statement for requests of the same shape.
    ///
    /// - Parameter hash: The request's ``FetchRequest/shapeHash``.
    func statement(_ hash: UInt64, shapedLike request: FetchRequest) -> Statement? {
        for (index, other) in shapeHashes.enumerated() where other == hash {
            let statement = shaped[index]
            if !statement.isLent, let shape = statement.shape, shape.request.hasShape(of: request) { return statement }
        }
        return nil
    }

    /// Marks a statement as in use.
    func noteLoan(of statement: Statement) {
        statement.isLent = true
        if statement.isKept, recent !== statement { recent = statement }
    }

    /// Marks a statement as no longer in use.
    func noteReturn(of statement: Statement) {
        statement.isLent = false
        uses += 1
        statement.lastUse = uses
    }

    /// Makes a statement available by a shape from now on.
    func setShape(_ shape: RequestShape, of statement: Statement) {
        statement.shape = shape
        if statement.isKept { keepShape(of: statement) }
    }

    /// Keeps a statement, unless there is already one with its text, or all others are in use.
    ///
    /// - Returns: Whether it is kept.
    func keep(_ statement: Statement) -> Bool {
        guard statements[statement.sql] == nil, makeRoom() else { return false }
        statement.isKept = true
        statements[statement.sql] = statement
        keepShape(of: statement)
        return true
    }

    func finalizeAll() {
        for statement in statements.values { statement.finalize() }
        statements.removeAll()
        (shaped, shapeHashes) = ([], [])
        recent = nil
    }

    private func keepShape(of statement: Statement) {
        guard let shape = statement.shape else { return }
        shaped.append(statement)
        shapeHashes.append(shape.hash)
    }

    private func forgetShape(of statement: Statement) {
        guard let index = shaped.firstIndex(where: { $0 === statement }) else { return }
        shaped.remove(at: index)
        shapeHashes.remove(at: index)
    }

    private func makeRoom() -> Bool {
        guard statements.count >= StatementCache.size else { return true }
        guard let oldest = statements.values.lazy.filter({ !$0.isLent }).min(by: { $0.lastUse < $1.lastUse }) else {
            return false
        }
        statements[oldest.sql] = nil
        oldest.isKept = false
        forgetShape(of: oldest)
        if recent === oldest { recent = nil }
        if !oldest.isActive { oldest.finalize() }
        return true
    }
}
