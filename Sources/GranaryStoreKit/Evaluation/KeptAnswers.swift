// Many records may lead to the same one: each message of a chat asks for the newest message of its chat. An answer that
// is computed from all records that refer to the chat must not be computed again for each of them, or the time grows
// with the square of their number. So the answers are kept for the length of the query, which sees one state.

/// The answers that a query has computed for the records that a reference leads to, by their keys.
///
/// Keeps at most 64 MiB. When there is no more room it forgets all answers and begins again. A query over more records
/// than that still has the right result, but computes some answers again.
package final class KeptAnswers {
    private let mostBytes: Int
    private var keys = ByteTable()
    private var answers: ContiguousArray<StoredValue> = []
    /// The bytes of answers of the kinds text and bytes.
    private var answerBytes = 0
    private let scratch = CellBytes()
    private let held = HeldCell()

    package init(mostBytes: Int = 64 << 20) { self.mostBytes = mostBytes }

    package var count: Int { answers.count }

    /// The answer for a key; nil if none is kept. Its bytes stay valid until the next call.
    package func answer(for key: Cell) -> Cell? {
        scratch.clear()
        scratch.append(key)
        guard let number = keys.number(of: scratch.bytes) else { return nil }
        return held.keep(answers[number])
    }

    /// Keeps an answer for a key without one, and returns it. Its bytes stay valid until the next call.
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
    /// Whether the value is computed from all records that refer to another one.
    package var gathers: Bool {
        if case .aggregate = self { return true }
        return containsChild(where: \.gathers)
    }
}

extension ResolvedCondition {
    /// Whether the result depends on records that refer to another one, of which there may be many.
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
