// Many records lead to the same one: the messages of a chat all ask for the newest message of their chat. An answer that is
// computed from all records that refer to the chat must not be computed again for each of them, or the query takes the
// square of the time. So the answers are kept for the length of the query, which sees one state.

/// The answers that a query has computed for the records a reference leads to, by their keys.
///
/// Keeps at most 64 MiB. When there is no more room it forgets all of them and begins again, so that a query over more
/// records than that is right, and computes some answers again.
package final class KeptAnswers {
    private let mostBytes: Int
    private var keys = ByteTable()
    private var answers: ContiguousArray<StoredValue> = []
    /// The bytes of the answers that are text or bytes.
    private var answerBytes = 0
    private let scratch = CellBytes()
    private let held = HeldCell()

    package init(mostBytes: Int = 64 << 20) { self.mostBytes = mostBytes }

    package var count: Int { answers.count }

    /// The answer for a key, whose bytes stay until the next call; nil if none is kept.
    package func answer(for key: Cell) -> Cell? {
        scratch.clear()
        scratch.append(key)
        guard let number = keys.number(of: scratch.bytes) else { return nil }
        return held.keep(answers[number])
    }

    /// Keeps an answer for a key that has none, and returns it. Its bytes stay until the next call.
    package func keep(_ answer: Cell, for key: Cell) -> Cell {
        if keys.byteCount + answers.count * MemoryLayout<StoredValue>.stride + answerBytes > mostBytes { forget() }
        let value = StoredValue(answer)
        scratch.clear()
        scratch.append(key)
        guard keys.insert(scratch.bytes).isNew else { return held.keep(value) }
        answers.append(value)
        answerBytes += answer.rawBytes.count
        return held.keep(value)
    }

    private func forget() {
        keys = ByteTable()
        answers = []
        answerBytes = 0
    }
}

extension ResolvedExpression {
    /// Whether the value is computed from all records that refer to one.
    package var gathers: Bool {
        if case .aggregate = self { return true }
        return containsChild(where: \.gathers)
    }
}

extension ResolvedCondition {
    /// Whether it is decided by records that refer to one, of which there may be many.
    package var gathers: Bool {
        if case .toMany = self { return true }
        return containsChild(where: \.gathers)
    }
}

extension ResolvedChild {
    fileprivate var gathers: Bool {
        switch self {
        case .condition(let condition): condition.gathers
        case .expression(let expression): expression.gathers
        case .request: false
        }
    }
}
