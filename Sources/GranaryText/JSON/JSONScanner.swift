/// A position in bytes that should be JSON. It only moves forward.
///
/// Every read is checked against the end. If a function returns false or nil, the bytes are something else, and the
/// position has no meaning any more.
package struct JSONScanner {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The byte at the position, or nil at the end.
    var current: UInt8? {
        @inline(__always) get { position < bytes.count ? bytes[position] : nil }
    }

    /// Moves over `byte`, if it is at the position.
    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    mutating func skipWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Moves from an object to the value of its first member with `key`.
    package mutating func enter(key: [UInt8]) -> Bool {
        skipWhiteSpace()
        guard take(UInt8(ascii: "{")) else { return false }
        repeat {
            skipWhiteSpace()
            guard take(UInt8(ascii: "\"")) else { return false }
            let name = JSONTextReader(bytes, from: position)
            guard skipTextAfterQuote() else { return false }
            skipWhiteSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            if name.equals(key) { return true }
            guard skipValue() else { return false }
            skipWhiteSpace()
        } while take(UInt8(ascii: ","))
        return false
    }

    /// Moves from an array to one of its elements.
    package mutating func enter(position wanted: Int) -> Bool {
        skipWhiteSpace()
        guard take(UInt8(ascii: "[")) else { return false }
        for _ in 0..<wanted {
            guard skipValue() else { return false }
            skipWhiteSpace()
            guard take(UInt8(ascii: ",")) else { return false }
        }
        skipWhiteSpace()
        return current != UInt8(ascii: "]")
    }

    /// Moves past any value. Brackets are counted, but their kinds are not compared.
    mutating func skipValue() -> Bool {
        skipWhiteSpace()
        var depth = 0
        repeat {
            guard let byte = current else { return false }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard skipTextAfterQuote() else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                position += 1
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return false }
                position += 1
                depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                guard depth > 0 else { return false }
                position += 1
            default: skipWord()
            }
        } while depth > 0
        return true
    }

    /// Moves past the letters, digits and signs of a number or a literal.
    private mutating func skipWord() {
        repeat { position += 1 } while !isAtEndOfWord
    }

    /// Whether a number or literal must end here.
    var isAtEndOfWord: Bool {
        switch current {
        case nil, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "{"),
            UInt8(ascii: "["), UInt8(ascii: "\""), 0x20, 0x0A, 0x0D, 0x09:
            true
        default: false
        }
    }

    /// Moves past the quote that closes a string.
    mutating func skipTextAfterQuote() -> Bool {
        while let byte = current {
            position += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") {
                guard current != nil else { return false }
                position += 1
            }
        }
        return false
    }
}
