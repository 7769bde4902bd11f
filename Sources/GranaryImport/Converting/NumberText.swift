import GranaryCore
import GranaryPlatform

/// A number read from ASCII text exactly: ±magnitude * 10^exponent.
///
/// Surrounding blanks, a sign, leading zeros, and a point without digits on one side are accepted.
struct NumberText {
    private var isNegative = false
    private var magnitude: UInt128 = 0
    private var exponent = 0
    /// Zeros after the magnitude that have not been multiplied in.
    private var zeros = 0
    /// Whether there are more than 38 significant digits.
    private var isLong = false
    private let text: UnsafeRawBufferPointer

    /// Nil if the whole text is not a number.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let text = bytes.trimmed
        self.text = text
        if takeShort(text) { return }
        var rest = text[...]
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            rest.removeFirst()
        }
        var digits = 0
        while let digit = rest.first?.digit {
            append(digit)
            digits += 1
            rest.removeFirst()
        }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            while let digit = rest.first?.digit {
                append(digit)
                exponent -= 1
                digits += 1
                rest.removeFirst()
            }
        }
        guard digits > 0 else { return nil }
        if let mark = rest.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
            rest.removeFirst()
            let isBelow = rest.first == UInt8(ascii: "-")
            if isBelow || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard rest.first?.digit != nil else { return nil }
            var power = 0
            while let digit = rest.first?.digit {
                // Beyond any relevant exponent.
                power = min(power * 10 + Int(digit), 1_000_000_000_000)
                rest.removeFirst()
            }
            exponent += isBelow ? -power : power
        }
        guard rest.isEmpty else { return nil }
    }

    /// Reads a short number without an exponent; nearly all numbers are such. Returns false for other texts.
    private mutating func takeShort(_ text: UnsafeRawBufferPointer) -> Bool {
        var next = 0
        var point = text.count
        var digits: UInt64 = 0
        if let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { next = 1 }
        let isBelow = next == 1 && text[0] == UInt8(ascii: "-")
        // The digits fit 64 bits.
        guard next < text.count, text.count <= 18 else { return false }
        while next < text.count {
            let digit = text[next] &- UInt8(ascii: "0")
            if digit <= 9 {
                digits = digits &* 10 &+ UInt64(digit)
            } else {
                guard text[next] == UInt8(ascii: "."), point == text.count else { return false }
                point = next
            }
            next += 1
        }
        let places = max(0, text.count - point - 1)
        // A sign or a point alone is no number.
        guard let last = text.last, last &- UInt8(ascii: "0") <= 9 else { return false }
        while digits != 0, digits.isMultiple(of: 10) {
            digits /= 10
            zeros += 1
        }
        (isNegative, magnitude, exponent) = (isBelow, UInt128(digits), -places)
        return true
    }

    private mutating func append(_ digit: UInt8) {
        if digit == 0 {
            if magnitude != 0 { zeros += 1 }
            return
        }
        let places = zeros + 1
        zeros = 0
        for place in 1...places {
            guard !isLong, magnitude < UInt128(10_000_000_000_000_000_000) * 10_000_000_000_000_000_000 / 10 else {
                isLong = true
                exponent += places - place + 1
                return
            }
            magnitude = magnitude * 10 + (place == places ? UInt128(digit) : 0)
        }
    }

    /// The number, if it is a whole number within Int64.
    var integer: Int64? { scaled(places: 0) }

    /// The number times 10^places, if that is a whole number within Int64.
    func scaled(places: Int) -> Int64? {
        if magnitude == 0 { return 0 }
        guard !isLong else { return nil }
        var (magnitude, power) = (magnitude, exponent + zeros + places)
        while power < 0 {
            let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
            guard remainder == 0 else { return nil }
            (magnitude, power) = (quotient, power + 1)
        }
        while power > 0 {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            guard !overflow, product < UInt128(1) << 64 else { return nil }
            (magnitude, power) = (product, power - 1)
        }
        if isNegative, magnitude == UInt128(1) << 63 { return .min }
        guard let value = Int64(exactly: magnitude) else { return nil }
        return isNegative ? -value : value
    }

    /// The nearest double; nil if the number is beyond the greatest double.
    var real: Double? {
        if magnitude == 0 { return 0 }
        if !isLong, magnitude <= 1 << 53, let digits = UInt64(exactly: magnitude) {
            let power = exponent + zeros
            // Both operands are exact doubles, so one operation rounds once.
            if power == 0 { return isNegative ? -Double(digits) : Double(digits) }
            if power < 0, power >= -22 {
                let value = Double(digits) / NumberText.powers[-power]
                return isNegative ? -value : value
            }
        }
        // By the grammar the text is ASCII.
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value + 0.0
    }

    private static let powers: [Double] = (0...22).map { power in (0..<power).reduce(1.0) { value, _ in value * 10 } }

    /// The number exactly; nil if it has more than 38 digits or its exponent is out of range.
    var decimal: DecimalNumber? {
        guard !isLong else { return nil }
        return try? DecimalNumber(magnitude: magnitude, exponent: exponent + zeros, isNegative: isNegative)
    }
}

extension UInt8 {
    /// The value of an ASCII digit.
    var digit: UInt8? { self >= 0x30 && self <= 0x39 ? self - 0x30 : nil }
}

extension UnsafeRawBufferPointer {
    /// The bytes without blanks, tabs and line ends around them.
    var trimmed: UnsafeRawBufferPointer {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
        var (start, end) = (0, count)
        while start < end, isBlank(self[start]) { start += 1 }
        while end > start, isBlank(self[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
