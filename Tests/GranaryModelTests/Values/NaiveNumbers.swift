@testable import GranaryModel

/// A whole number written as plainly as possible, to compare with: ten thousands in an array, school methods.
struct NaiveNatural: Equatable, CustomStringConvertible {
    private(set) var groups: [UInt32] = []

    init(_ text: String) {
        var digits = Array(text.utf8.map { UInt32($0) - 48 })
        while !digits.isEmpty {
            groups.append(digits.suffix(4).reduce(0) { $0 * 10 + $1 })
            digits.removeLast(min(4, digits.count))
        }
        trim()
    }

    init(_ value: some UnsignedInteger) { self.init("\(value)") }

    var isZero: Bool { groups.isEmpty }

    var description: String {
        guard let last = groups.last else { return "0" }
        return groups.dropLast().reversed().reduce("\(last)") { text, group in
            let digits = "\(group)"
            return text + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    private mutating func trim() {
        while groups.last == 0 { groups.removeLast() }
    }

    static func < (left: NaiveNatural, right: NaiveNatural) -> Bool {
        if left.groups.count != right.groups.count { return left.groups.count < right.groups.count }
        return left.groups.reversed().lexicographicallyPrecedes(right.groups.reversed())
    }

    static func + (left: NaiveNatural, right: NaiveNatural) -> NaiveNatural {
        var result = left
        var carry: UInt32 = 0
        for index in 0..<max(left.groups.count, right.groups.count) {
            if index == result.groups.count { result.groups.append(0) }
            let sum = result.groups[index] + (index < right.groups.count ? right.groups[index] : 0) + carry
            result.groups[index] = sum % 10000
            carry = sum / 10000
        }
        if carry > 0 { result.groups.append(carry) }
        return result
    }

    /// `right` is at most `left`.
    static func - (left: NaiveNatural, right: NaiveNatural) -> NaiveNatural {
        var result = left
        var borrow: UInt32 = 0
        for index in left.groups.indices {
            let taken = (index < right.groups.count ? right.groups[index] : 0) + borrow
            borrow = result.groups[index] < taken ? 1 : 0
            result.groups[index] = result.groups[index] + borrow * 10000 - taken
        }
        result.trim()
        return result
    }

    static func * (left: NaiveNatural, right: NaiveNatural) -> NaiveNatural {
        var result = NaiveNatural("0")
        result.groups = Array(repeating: 0, count: left.groups.count + right.groups.count)
        for (i, a) in left.groups.enumerated() {
            var carry: UInt32 = 0
            for (j, b) in right.groups.enumerated() {
                let sum = result.groups[i + j] + a * b + carry
                result.groups[i + j] = sum % 10000
                carry = sum / 10000
            }
            result.groups[i + right.groups.count] += carry
        }
        result.trim()
        return result
    }

    static func powerOfTen(_ power: Int) -> NaiveNatural {
        NaiveNatural("1" + String(repeating: "0", count: power))
    }
}

/// The same with a sign.
struct NaiveInteger: Equatable {
    var magnitude: NaiveNatural
    var isNegative: Bool

    init(_ magnitude: NaiveNatural, isNegative: Bool) {
        self.magnitude = magnitude
        self.isNegative = isNegative && !magnitude.isZero
    }

    static var zero: NaiveInteger { NaiveInteger(NaiveNatural("0"), isNegative: false) }

    static func + (left: NaiveInteger, right: NaiveInteger) -> NaiveInteger {
        if left.isNegative == right.isNegative {
            return NaiveInteger(left.magnitude + right.magnitude, isNegative: left.isNegative)
        }
        return left.magnitude < right.magnitude
            ? NaiveInteger(right.magnitude - left.magnitude, isNegative: right.isNegative)
            : NaiveInteger(left.magnitude - right.magnitude, isNegative: left.isNegative)
    }
}

/// A decimal of text: `-12.5`, `3e-7`.
func decimal(_ text: String) throws -> StoredValue { .bytes(try decimalNumber(text).bytes) }

func decimalNumber(_ text: String) throws -> DecimalNumber {
    let parts = text.split(separator: "e")
    var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    var digits = String(parts.first ?? "")
    let isNegative = digits.hasPrefix("-")
    if isNegative { digits.removeFirst() }
    if let point = digits.firstIndex(of: ".") {
        exponent -= digits.distance(from: point, to: digits.endIndex) - 1
        digits.remove(at: point)
    }
    return try DecimalNumber(magnitude: UInt128(digits) ?? 0, exponent: exponent, isNegative: isNegative)
}
