/// The numbers of a whole index.
///
/// The block: version and key form (a byte, see ``FormatVersion``), documents, words, number of slots, words of each
/// slot, all as varints.
package struct WordTotals: Hashable, Sendable {
    package let keys: DocumentKeyForm
    package internal(set) var documents = 0
    /// The words of all documents.
    package internal(set) var words = 0
    /// The words of each slot.
    package internal(set) var slots: [Int] = []

    init(keys: DocumentKeyForm) { self.keys = keys }

    init(parsing bytes: UnsafeRawBufferPointer) throws {
        var reader = BlockBytes(bytes)
        keys = try FormatVersion.keyForm(of: reader.byte())
        documents = try WordTotals.number(&reader)
        words = try WordTotals.number(&reader)
        let count = try reader.smallVarint()
        guard count <= bytes.count else { throw WordIndexError.corrupt("the totals have too many slots") }
        for _ in 0..<count { slots.append(try WordTotals.number(&reader)) }
        guard reader.isAtEnd else { throw WordIndexError.corrupt("the totals are too long") }
    }

    var bytes: [UInt8] {
        var bytes = [FormatVersion.byte(keys)]
        bytes.appendVarint(documents)
        bytes.appendVarint(words)
        bytes.appendVarint(slots.count)
        for slot in slots { bytes.appendVarint(slot) }
        return bytes
    }

    /// Adds a document's numbers (`sign` 1), or takes them off (-1).
    /// - Throws: `corrupt` if a number would be negative.
    mutating func add(words: Int, slots other: [Int], sign: Int) throws {
        documents += sign
        self.words += sign * words
        if slots.count < other.count { slots += [Int](repeating: 0, count: other.count - slots.count) }
        for (slot, count) in other.enumerated() { slots[slot] += sign * count }
        guard documents >= 0, self.words >= 0, slots.allSatisfy({ $0 >= 0 }) else {
            throw WordIndexError.corrupt("more words were removed than the index had")
        }
    }

    private static func number(_ reader: inout BlockBytes) throws -> Int {
        let value = try reader.varint()
        guard value < 1 << 60 else { throw WordIndexError.corrupt("a total is too large") }
        return Int(value)
    }
}

/// The first byte of totals and of posting blocks: the version in the upper half, the form of the keys in the lower.
enum FormatVersion {
    private static let current: UInt8 = 1

    static func byte(_ form: DocumentKeyForm) -> UInt8 { current << 4 | form.rawValue }

    static func keyForm(of byte: UInt8) throws -> DocumentKeyForm {
        guard byte >> 4 == current, let form = DocumentKeyForm(rawValue: byte & 15) else {
            throw WordIndexError.corrupt("an unknown version of the format: \(byte)")
        }
        return form
    }
}
