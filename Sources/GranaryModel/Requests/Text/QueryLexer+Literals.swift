extension QueryLexer {
    /// Digits, with or without a fraction and an exponent. The text is kept as it is written.
    mutating func number() throws -> QueryToken {
        let start = position
        skipDigits()
        if current == UInt8(ascii: ".") {
            advance()
            guard skipDigits() else { throw failure(at: position, "expected a digit after the point") }
        }
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            advance()
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { advance() }
            guard skipDigits() else { throw failure(at: position, "expected the digits of an exponent") }
        }
        if let byte = current, QueryLexer.continuesName(byte) {
            throw failure(at: position, "a number ends before this letter. Put a space or an operator between")
        }
        return .number(spelling(start..<position))
    }

    @discardableResult
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = current, QueryLexer.isDigit(byte) { advance() }
        return position > start
    }

    /// Text between two of the current quote character, with escapes.
    mutating func quoted(what: String) throws -> String {
        let start = position
        let quote = current
        advance()
        var text: [UInt8] = []
        while let byte = current, byte != quote {
            if byte == UInt8(ascii: "\\") {
                text += try escape()
            } else {
                text.append(byte)
                advance()
            }
        }
        guard current != nil else { throw failure(at: start, "the \(what) that begins here is not closed") }
        advance()
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape() throws -> [UInt8] {
        let start = position
        advance()
        guard let byte = current else { throw failure(at: start, "expected a character after the backslash") }
        advance()
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): return [byte]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "0"): return [0x00]
        case UInt8(ascii: "u"): return try scalar(from: start)
        default: throw failure(at: start, "no such escape. Write \\\\ for a backslash")
        }
    }

    /// `\u00E9` or `\u{E9}`.
    private mutating func scalar(from start: Int) throws -> [UInt8] {
        let isBraced = current == UInt8(ascii: "{")
        if isBraced { advance() }
        var value: UInt32 = 0
        var digits = 0
        while digits < (isBraced ? 6 : 4), let digit = current.flatMap(QueryLexer.hexadecimalValue) {
            value = value << 4 | UInt32(digit)
            digits += 1
            advance()
        }
        let isClosed = isBraced ? digits > 0 && current == UInt8(ascii: "}") : digits == 4
        guard isClosed, let scalar = Unicode.Scalar(value), let utf8 = UTF8.encode(scalar) else {
            throw failure(at: start, "expected a Unicode scalar as \\u00E9 or \\u{1F600}")
        }
        if isBraced { advance() }
        return Array(utf8)
    }

    /// The digits of `x'00FF'`, from the quote on.
    mutating func hexadecimal(closedBy quote: UInt8) throws -> [UInt8] {
        let start = position
        advance()
        var digits: [UInt8] = []
        while let byte = current, byte != quote {
            guard let digit = QueryLexer.hexadecimalValue(byte) else {
                throw failure(at: position, "expected hexadecimal digits")
            }
            digits.append(digit)
            advance()
        }
        guard current != nil else { throw failure(at: start, "the bytes that begin here are not closed") }
        guard digits.count.isMultiple(of: 2) else { throw failure(at: position, "expected two digits for each byte") }
        advance()
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
