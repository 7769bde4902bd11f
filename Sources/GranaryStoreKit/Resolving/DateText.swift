/// Reads a date in the text form of conditions.
///
/// It is a day, `2024-05-01`; or a day and a time, `2024-05-01T12:30`, with `T`, `t` or one blank between them.
/// Seconds, a fraction of them, and the zone are optional: `Z`, `z`, `+02:00` or `+0200`. A date without a zone is in
/// UTC.
package struct DateText {
    private var rest: Substring.UTF8View

    /// The seconds since the beginning of 2001 in UTC; nil if the whole text is not a date in this form.
    package static func seconds(of text: String) -> Double? {
        var reader = DateText(rest: text[...].utf8)
        guard let day = reader.day() else { return nil }
        if reader.rest.isEmpty { return Double(day * 86_400) }
        guard reader.take("T") || reader.take("t") || reader.take(" "), let hour = reader.number(digits: 2, 0...23),
            reader.take(":"),
            let minute = reader.number(digits: 2, 0...59)
        else { return nil }
        var seconds = day * 86_400 + hour * 3600 + minute * 60
        var fraction: [UInt8] = []
        if reader.take(":") {
            guard let second = reader.number(digits: 2, 0...59) else { return nil }
            seconds += second
            if reader.take(".") {
                guard let part = reader.fraction() else { return nil }
                fraction = part
            }
        }
        guard let offset = reader.zone(), reader.rest.isEmpty else { return nil }
        return DateText.sum(seconds - offset, fraction)
    }

    /// The sum of whole seconds and a fraction, as exactly as a double can represent it.
    private static func sum(_ seconds: Int, _ fraction: [UInt8]) -> Double {
        guard fraction.contains(where: { $0 != 0 }) else { return Double(seconds) }
        // Before 2001 the fraction counts towards 0, where doubles are denser.
        return seconds < 0
            ? -(Double(-(seconds + 1)) + value(of: complement(fraction))) : Double(seconds) + value(of: fraction)
    }

    private static func value(of digits: [UInt8]) -> Double {
        Double("0." + String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)) ?? 0
    }

    /// The days from the first day of 2001 to `2024-05-01`, in the Gregorian calendar.
    private mutating func day() -> Int? {
        guard let year = number(digits: 4, 0...9999), take("-"), let month = number(digits: 2, 1...12), take("-"),
            let day = number(digits: 2, 1...31), day <= DateText.days(in: month, of: year)
        else { return nil }
        // A year that begins in March ends with the leap day, if it has one.
        let years = month < 3 ? year + 399 : year + 400
        let months = (month + 9) % 12
        let days = years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day
        return days - 876_889
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of seconds to subtract to get UTC.
    private mutating func zone() -> Int? {
        if rest.isEmpty || take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(digits: 2, 0...23) else { return nil }
        _ = take(":")
        guard let minutes = number(digits: 2, 0...59) else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(digits count: Int, _ range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest.removeFirst(count)
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return range.contains(number) ? number : nil
    }

    private mutating func fraction() -> [UInt8]? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        return digits.map { $0 - 0x30 }
    }
}
