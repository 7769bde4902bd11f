extension JSONScanner {
    /// `true` or `false` here.
    package mutating func bool() -> Bool? {
        skipWhiteSpace()
        if takeWord("true") { return true }
        if takeWord("false") { return false }
        return nil
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let start = position
        let isTaken = word.withUTF8Buffer { letters in letters.allSatisfy { take($0) } } && isAtEndOfWord
        if !isTaken { position = start }
        return isTaken
    }

    /// The string here, without its escapes; nil if it is not valid JSON text in UTF-8.
    package mutating func text() -> [UInt8]? {
        skipWhiteSpace()
        guard take(UInt8(ascii: "\"")) else { return nil }
        var reader = JSONTextReader(bytes, from: position)
        guard skipTextAfterQuote() else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(position - 1 - reader.position)
        while let byte = reader.next() { text.append(byte) }
        guard reader.isComplete, (try? UTF8Span(validating: text.span)) != nil else { return nil }
        return text
    }

    /// The number here; nil if there is none by JSON's grammar.
    package mutating func number() -> JSONNumber? {
        skipWhiteSpace()
        let start = position
        var number = JSONNumber(isNegative: take(UInt8(ascii: "-")))
        if take(UInt8(ascii: "0")) {
            // No digits may follow a leading zero.
        } else {
            guard takeDigits({ number.append($0) }) else { return nil }
        }
        if take(UInt8(ascii: ".")) {
            guard takeDigits({ number.appendFraction($0) }) else { return nil }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            let isNegative = take(UInt8(ascii: "-"))
            if !isNegative { _ = take(UInt8(ascii: "+")) }
            var exponent = 0
            guard takeDigits({ exponent = min(exponent * 10 + Int($0), JSONNumber.greatestExponent) }) else {
                return nil
            }
            number.exponent += isNegative ? -exponent : exponent
        }
        guard isAtEndOfWord else { return nil }
        number.text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
        return number
    }

    /// Moves past digits, at least one.
    private mutating func takeDigits(_ body: (UInt8) -> Void) -> Bool {
        let start = position
        while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            body(byte - UInt8(ascii: "0"))
            position += 1
        }
        return position > start
    }
}

/// A number as JSON writes it: ± digits * 10^exponent.
package struct JSONNumber {
    let isNegative: Bool
    /// The digits up to the last that is not zero; meaningless if ``isLong``.
    private var digits: UInt64 = 0
    /// Zeros after ``digits`` that are not part of them yet.
    private var zeros = 0
    /// Whether there are more significant digits than 64 bits hold.
    private var isLong = false
    var exponent = 0
    /// As written. Points into the bytes scanned.
    var text = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Far beyond any exponent that matters, also with as many digits before it as a text can have.
    static let greatestExponent = 1_000_000_000_000

    init(isNegative: Bool) { self.isNegative = isNegative }

    mutating func append(_ digit: UInt8) {
        if digit == 0 {
            if digits != 0 { zeros += 1 }
            return
        }
        while zeros > 0 && !isLong {
            multiplyByTen(adding: 0)
            zeros -= 1
        }
        multiplyByTen(adding: UInt64(digit))
    }

    mutating func appendFraction(_ digit: UInt8) {
        append(digit)
        exponent -= 1
    }

    private mutating func multiplyByTen(adding digit: UInt64) {
        let (tens, first) = digits.multipliedReportingOverflow(by: 10)
        let (sum, second) = tens.addingReportingOverflow(digit)
        if first || second { isLong = true }
        digits = sum | (isLong ? 1 : 0)
    }

    /// The value, if it is a whole number within Int64.
    package var integer: Int64? {
        guard !isLong else { return nil }
        if digits == 0 { return 0 }
        let power = exponent + zeros
        guard power >= 0, power < 19 else { return nil }
        let (magnitude, overflow) = digits.multipliedReportingOverflow(by: UInt64(DecimalNumber.powerOfTen(power)))
        guard !overflow else { return nil }
        if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }

    /// The nearest double, infinity beyond the greatest.
    package var real: Double? {
        let power = exponent + zeros
        if !isLong && digits <= 1 << 53 && abs(power) <= 22 {
            // Both are exact doubles, so that one operation rounds once.
            let scale = Double(UInt128(1) * DecimalNumber.powerOfTen(abs(power)))
            let magnitude = power < 0 ? Double(digits) / scale : Double(digits) * scale
            return isNegative && magnitude != 0 ? -magnitude : magnitude
        }
        if !isLong && digits == 0 { return 0 }
        // The text is ASCII by the grammar.
        guard let value = Double(String(decoding: text, as: UTF8.self)) else { return nil }
        return value + 0.0
    }
}
