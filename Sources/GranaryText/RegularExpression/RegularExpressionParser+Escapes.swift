extension RegularExpressionParser {
    enum Escape {
        case scalar(Unicode.Scalar)
        case term(ScalarSet.Term)
    }

    /// Reads an assertion about a place, if one follows the backslash just read.
    mutating func readAssertionEscape() -> RegularExpressionSyntax.Assertion? {
        let assertion: RegularExpressionSyntax.Assertion
        switch next {
        case "A": assertion = .textStart
        case "z": assertion = .textEnd
        case "b": assertion = .wordBoundary
        case "B": assertion = .noWordBoundary
        default: return nil
        }
        index += 1
        return assertion
    }

    /// Reads the escape after the backslash just read, inside a set or outside.
    mutating func readEscape() throws(GranaryError) -> Escape {
        let start = index - 1
        guard let scalar = next else {
            throw failure("the backslash has nothing after it; write \\\\ for the character.", at: start)
        }
        index += 1
        switch scalar {
        case "n": return .scalar("\n")
        case "t": return .scalar("\t")
        case "r": return .scalar("\r")
        case "f": return .scalar("\u{C}")
        case "v": return .scalar("\u{B}")
        case "x": return .scalar(try readHexadecimal(from: start))
        case "u": return .scalar(try readHexadecimal(from: start, digits: 4))
        case "d": return .term(.digits)
        case "D": return .term(.digits.negated)
        case "w": return .term(.word)
        case "W": return .term(.word.negated)
        case "s": return .term(.whiteSpace)
        case "S": return .term(.whiteSpace.negated)
        case "p": return .term(try readCategory(from: start))
        case "P": return .term(try readCategory(from: start).negated)
        case "1"..."9", "k": throw failure("backreferences are not supported.", at: start)
        case "0", "a"..."z", "A"..."Z":
            throw failure("\\\(scalar) has no meaning here.", at: start)
        default:
            guard scalar.isASCII else {
                throw failure("only ASCII characters are written with a backslash.", at: start)
            }
            return .scalar(scalar)
        }
    }

    private mutating func readHexadecimal(from start: Int) throws(GranaryError) -> Unicode.Scalar {
        guard take("{") else { return try readHexadecimal(from: start, digits: 2) }
        let count = pattern[index...].prefix(7).prefix { $0 != "}" }.count
        let scalar = try readHexadecimal(from: start, digits: max(1, count))
        guard take("}") else { throw failure("\\x{ } holds 1 to 6 hexadecimal digits.", at: start) }
        return scalar
    }

    private mutating func readHexadecimal(from start: Int, digits: Int) throws(GranaryError) -> Unicode.Scalar {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = next, scalar.isASCII, let digit = Character(scalar).hexDigitValue, value <= 0x10FFFF
            else {
                throw failure("a number is \\x41, \\x{1F600} or \\u00E9, in hexadecimal digits.", at: start)
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw failure("there is no Unicode scalar of that number.", at: start)
        }
        return scalar
    }

    private mutating func readCategory(from start: Int) throws(GranaryError) -> ScalarSet.Term {
        var name = ""
        if take("{") {
            while let scalar = next, scalar != "}" {
                name.unicodeScalars.append(scalar)
                index += 1
            }
            guard take("}") else { throw failure("\\p{ has no closing brace.", at: start) }
        } else if let scalar = next {
            name.unicodeScalars.append(scalar)
            index += 1
        }
        guard let categories = CategorySet(named: name) else {
            throw failure("\\p takes a general category, such as L, Lu, Nd or P.", at: start)
        }
        return ScalarSet.Term(categories: categories)
    }
}
