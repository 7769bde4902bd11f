/// Cuts the text of a condition into tokens, one at a time, without regard to their meaning together.
struct QueryLexer {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The next token after white space, with its position.
    mutating func next(after previous: QueryToken) throws -> (token: QueryToken, start: Int) {
        while let byte = current, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
        let start = position
        guard let byte = current else { return (.end, start) }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return (try number(), start)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return (.string(try quoted(what: "text")), start)
        case UInt8(ascii: "`"): return (.quotedName(try quoted(what: "name")), start)
        case UInt8(ascii: "#"): return (.quotedName(try prefixedName("#")), start)
        case UInt8(ascii: "$"): return (.variable(try prefixedName("$")), start)
        case UInt8(ascii: "@"): return (.aggregate(try prefixedName("@")), start)
        case UInt8(ascii: "%") where !previous.endsValue: return (try placeholder(), start)
        case let byte where QueryLexer.beginsName(byte): return (try word(isPart: previous == .symbol(.point)), start)
        default: return (try symbol(), start)
        }
    }

    /// Letters of every script are allowed, as bytes beyond ASCII.
    static func beginsName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || isDigit(byte) }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    mutating func advance() { position += 1 }

    private mutating func name() -> String {
        let start = position
        while let byte = current, QueryLexer.continuesName(byte) { position += 1 }
        return spelling(start..<position)
    }

    private mutating func prefixedName(_ sign: String) throws -> String {
        position += 1
        guard let byte = current, QueryLexer.beginsName(byte) else {
            throw failure(at: position, "expected a name after \"\(sign)\"")
        }
        return name()
    }

    /// - Parameter isPart: Whether it follows a point, where keywords cannot occur.
    private mutating func word(isPart: Bool) throws -> QueryToken {
        let start = position
        let name = name()
        if isPart { return .name(name) }
        if name.utf8.count == 1, bytes[start] | 0x20 == UInt8(ascii: "x"), let quote = current,
            quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        {
            return .bytes(try hexadecimal(closedBy: quote))
        }
        return QueryKeyword(spelling: name).map { .keyword($0) } ?? .name(name)
    }

    private mutating func placeholder() throws -> QueryToken {
        position += 1
        let start = position
        // A whole format such as `%ld` is one placeholder, so that the message shows all of it.
        if current == UInt8(ascii: "@") {
            position += 1
            return .placeholder("@")
        }
        let rest = name()
        if rest == "K" { return .placeholder("K") }
        throw failure(
            at: start - 1,
            "\"%\(rest)\" is no placeholder. Use %@ for a value, %K for a name, $name for an argument by name")
    }

    private mutating func symbol() throws -> QueryToken {
        for length in [2, 1] where position + length <= bytes.count {
            if let symbol = QuerySymbol(rawValue: spelling(position..<position + length)) {
                position += length
                return .symbol(symbol)
            }
        }
        throw failure(at: position, "\"\(spelling(position..<position + 1))\" has no meaning here")
    }

    func spelling(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// An error with the column of a position.
    func failure(at offset: Int, _ message: String, code: GranaryError.Code = .invalidQuery) -> GranaryError {
        let column = String(decoding: bytes[..<min(offset, bytes.count)], as: UTF8.self).count + 1
        return GranaryError(code, "Column \(column): \(message)\(message.hasSuffix(".") ? "" : ".")")
    }
}
