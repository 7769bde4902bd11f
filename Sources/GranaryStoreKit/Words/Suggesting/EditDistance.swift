/// The number of letters to insert, remove, replace or swap with their neighbour to make one word of another (optimal
/// string alignment: no letter is changed twice), as long as the number is small.
struct EditDistance {
    private let word: [Unicode.Scalar]
    private let limit: Int
    private var other: [Unicode.Scalar] = []
    /// Three rows of the table of distances between beginnings of both words, of which each needs the two before it.
    private var rows: [Int]

    init(_ word: [UInt8], limit: Int) {
        var letters: [Unicode.Scalar] = []
        word.withUnsafeBytes { EditDistance.append($0, to: &letters) }
        self.word = letters
        self.limit = limit
        rows = [Int](repeating: 0, count: 3 * (letters.count + 1))
    }

    /// The distance of a term, or nil if it is greater than the limit.
    mutating func distance(to term: UnsafeRawBufferPointer) -> Int? {
        // A letter has at most 4 bytes and at least 1, so this refuses many terms at once.
        guard term.count / 4 <= word.count + limit, term.count >= word.count - limit else { return nil }
        other.removeAll(keepingCapacity: true)
        EditDistance.append(term, to: &other)
        guard abs(other.count - word.count) <= limit else { return nil }
        let distance = rows.withUnsafeMutableBufferPointer { rows in
            EditDistance.fill(rows, word, other, limit)
        }
        return distance <= limit ? distance : nil
    }

    /// The distance, or any number above the limit as soon as the distance is known to exceed it.
    private static func fill(
        _ rows: UnsafeMutableBufferPointer<Int>, _ word: [Unicode.Scalar], _ other: [Unicode.Scalar], _ limit: Int
    ) -> Int {
        let width = word.count + 1
        for column in 0..<width { rows[column] = column }
        var (beforeLast, last, current) = (2 * width, 0, width)
        for row in other.indices {
            rows[current] = row + 1
            var least = row + 1
            for column in word.indices {
                var best = min(
                    rows[last + column] + (other[row] == word[column] ? 0 : 1), rows[last + column + 1] + 1,
                    rows[current + column] + 1)
                if row > 0, column > 0, other[row] == word[column - 1], other[row - 1] == word[column] {
                    best = min(best, rows[beforeLast + column - 1] + 1)
                }
                rows[current + column + 1] = best
                least = min(least, best)
            }
            // The next row can be one better only by a swap, which adds one again.
            if least > limit + 1 { return least }
            (beforeLast, last, current) = (last, current, beforeLast)
        }
        return rows[last + word.count]
    }

    private static func append(_ utf8: UnsafeRawBufferPointer, to letters: inout [Unicode.Scalar]) {
        if utf8.allSatisfy({ $0 < 0x80 }) {
            for byte in utf8 { letters.append(Unicode.Scalar(byte)) }
            return
        }
        var decoder = UTF8()
        var iterator = utf8.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): letters.append(scalar)
            case .emptyInput: return
            case .error: letters.append("\u{FFFD}")
            }
        }
    }
}
