import GranaryPlatform

// Writing dates, the inverse of reading them.
extension DateText {
    /// The shortest text that is read as the same number of seconds since the beginning of 2001, such as
    /// `2024-05-01T12:30:00.25Z`. Nil for dates outside the years 0 to 9999.
    package static func text(_ seconds: Double) -> String? {
        // The first second of year 0 and the first of year 10000.
        guard seconds >= -63_145_526_400, seconds < 252_423_993_600 else { return nil }
        let size = abs(seconds)
        let whole = size.rounded(.down)
        let fraction = size - whole
        guard fraction > 0 else { return clock(Int(seconds)) + "Z" }
        // With too few digits the fraction may be rounded up to a whole second, and the text is then read as another
        // date.
        for count in 1...9 {
            let digits = rounded(fraction, to: count)
            guard digits.count == count else { continue }
            let text = self.text(whole, digits, isBefore: seconds < 0)
            if self.seconds(of: text) == seconds { return text }
        }
        return self.text(whole, allDigits(of: fraction), isBefore: seconds < 0)
    }

    /// The form in which every verb and export writes a date: a text, or outside the years 0 to 9999 the number of
    /// seconds since 1970, which an import reads as the same date.
    package static func written(_ seconds: Double) -> String { text(seconds) ?? secondsSince1970(seconds).description }

    /// The seconds since 2001 of a text that ``written(_:)`` writes; nil for any other text.
    package static func seconds(ofWritten text: String) -> Double? {
        if let seconds = seconds(of: text) { return seconds }
        guard let number = Double(text) else { return nil }
        let seconds = number - Date.timeIntervalBetween1970AndReferenceDate
        return seconds.isFinite && self.text(seconds) == nil ? seconds : nil
    }

    /// The number of seconds since 1970 that is read as the same number of seconds since 2001, or the nearest number.
    package static func secondsSince1970(_ seconds: Double) -> Double {
        let distance = Date.timeIntervalBetween1970AndReferenceDate
        let number = seconds + distance
        return [number, number.nextUp, number.nextDown].first { $0 - distance == seconds } ?? number
    }

    /// The text for a number of whole seconds and a fraction after the beginning of 2001, or before it.
    private static func text(_ whole: Double, _ fraction: [UInt8], isBefore: Bool) -> String {
        // 0.25 seconds before a full second is 0.75 seconds after the previous one.
        let digits = isBefore ? complement(fraction) : fraction
        let second = isBefore ? -Int(whole) - 1 : Int(whole)
        return clock(second) + "." + String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self) + "Z"
    }

    /// The digits of 1 minus a fraction that is not 0.
    static func complement(_ digits: [UInt8]) -> [UInt8] {
        var digits = digits
        guard let last = digits.lastIndex(where: { $0 != 0 }) else { return digits }
        for index in 0..<last { digits[index] = 9 - digits[index] }
        digits[last] = 10 - digits[last]
        return digits
    }

    private static func rounded(_ fraction: Double, to count: Int) -> [UInt8] {
        var unit = 1.0
        for _ in 0..<count { unit *= 10 }
        let number = String(Int((fraction * unit).rounded())).utf8.map { $0 - 0x30 }
        return [UInt8](repeating: 0, count: max(0, count - number.count)) + number
    }

    /// The digits of the shortest decimal that identifies this fraction.
    private static func allDigits(of fraction: Double) -> [UInt8] {
        // `0.125` or `1.25e-20`.
        let parts = fraction.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        var digits = mantissa.joined().utf8.map { $0 - 0x30 }
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        // The decimal point is before the first digit and these zeros.
        let zeros = -(mantissa[0].utf8.count + exponent)
        if zeros > 0 {
            digits = [UInt8](repeating: 0, count: zeros) + digits
        } else {
            digits.removeFirst(min(-zeros, digits.count))
        }
        while digits.count > 1, digits.last == 0 { digits.removeLast() }
        return digits
    }

    /// A day of the Gregorian calendar.
    package struct Day: Sendable {
        package let year: Int
        package let month: Int
        package let day: Int
        /// From Sunday, 0.
        package let weekday: Int

        /// - Parameter days: The days since the first day of 2001.
        package init(days: Int) {
            // Years that begin in March, counted from that of year 0; 2001 begins 730 791 days after it.
            let shifted = days + 730_791
            let era = shifted / 146_097 - (shifted % 146_097 < 0 ? 1 : 0)
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let part = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * part + 2) / 5 + 1
            month = part < 10 ? part + 3 : part - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
            // The first day of 2001 was a Monday.
            let sinceSunday = (days + 1) % 7
            weekday = sinceSunday < 0 ? sinceSunday + 7 : sinceSunday
        }
    }

    /// A number with at least `digits` digits.
    package static func pad(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// `2024-05-01T12:30:00`, in UTC.
    private static func clock(_ seconds: Int) -> String {
        let days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        let second = seconds - days * 86_400
        let day = Day(days: days)
        return "\(pad(day.year, 4))-\(pad(day.month, 2))-\(pad(day.day, 2))"
            + "T\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2))"
    }
}
