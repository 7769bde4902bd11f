import GranaryCore
import GranaryPlatform

/// Reads and writes dates by a pattern, in English and the Gregorian calendar.
struct DatePattern {
    private enum Part: Sendable {
        case text(String)
        case field(Character, Int)
    }

    private let parts: [Part]

    init(_ pattern: String) {
        var parts: [Part] = []
        var isQuoted = false
        var rest = Substring(pattern)
        while let character = rest.popFirst() {
            if character == "'" {
                if rest.first == "'" {
                    rest.removeFirst()
                    parts.append(.text("'"))
                } else {
                    isQuoted.toggle()
                }
            } else if !isQuoted, character.isASCII, character.isLetter {
                var count = 1
                while rest.first == character {
                    rest.removeFirst()
                    count += 1
                }
                parts.append(.field(character, count))
            } else {
                parts.append(.text(String(character)))
            }
        }
        self.parts = parts
    }

    /// The reason why no text matches the pattern, as the end of a sentence; nil for a usable pattern.
    var fault: String? {
        let letters = parts.compactMap { part -> Character? in
            if case .field(let letter, _) = part { letter } else { nil }
        }
        if let unknown = letters.first(where: { !DatePattern.letters.contains($0) }) {
            return "has the letter \(unknown), which means no part of a date. Write other text between single quotes"
        }
        return letters.contains("y") || letters.contains("u") ? nil : "has no year"
    }

    private static let letters: Set<Character> = [
        "y", "u", "M", "L", "d", "E", "c", "H", "h", "k", "K", "m", "s", "S", "a", "Z", "X", "x", "z", "O", "V",
    ]

    /// The seconds since the beginning of 2001 in UTC; nil if the whole text does not match the pattern.
    func seconds(of text: String) -> Double? {
        var reading = Reading(rest: text[...])
        for (index, part) in parts.enumerated() {
            switch part {
            case .text(let text):
                guard reading.take(text) else { return nil }
            case .field(let letter, let count):
                // If another field follows directly, further digits belong to that field.
                var isFollowed = false
                if index + 1 < parts.count, case .field = parts[index + 1] { isFollowed = true }
                guard reading.field(letter, count, isFollowed: isFollowed) else { return nil }
            }
        }
        return reading.rest.isEmpty ? reading.seconds : nil
    }
}

extension DatePattern {
    /// The text of a date in seconds since the beginning of 2001, in UTC. Nil if the pattern has a letter that can only
    /// be read, or the date is outside the years 0 to 9999.
    func text(of seconds: Double) -> String? {
        guard seconds >= -63_145_526_400, seconds < 252_423_993_600 else { return nil }
        let whole = seconds.rounded(.down)
        let days = Int((whole / 86_400).rounded(.down))
        let time = (day: DateText.Day(days: days), second: Int(whole) - days * 86_400, fraction: seconds - whole)
        let isHalved = parts.contains { if case .field("a", _) = $0 { true } else { false } }
        var text = ""
        for part in parts {
            switch part {
            case .text(let part): text += part
            case .field(let letter, let count):
                guard let part = DatePattern.text(of: time, letter, count, isHalved: isHalved) else { return nil }
                text += part
            }
        }
        return text
    }

    private static func text(
        of time: (day: DateText.Day, second: Int, fraction: Double), _ letter: Character, _ count: Int, isHalved: Bool
    ) -> String? {
        func name(_ name: String, isShort: Bool) -> String { isShort ? String(name.prefix(3)) : name }
        let hour = time.second / 3600
        switch letter {
        case "y", "u": return count == 2 ? DateText.pad(time.day.year % 100, 2) : DateText.pad(time.day.year, count)
        case "M", "L":
            guard count >= 3 else { return DateText.pad(time.day.month, count) }
            return name(Reading.months[time.day.month - 1].capitalized, isShort: count == 3)
        case "d": return DateText.pad(time.day.day, count)
        case "E", "c": return name(Reading.days[time.day.weekday].capitalized, isShort: count <= 3)
        case "H", "h", "k", "K": return DateText.pad(isHalved ? (hour + 11) % 12 + 1 : hour, count)
        case "m": return DateText.pad(time.second / 60 % 60, count)
        case "s": return DateText.pad(time.second % 60, count)
        case "S":
            // Cut, not rounded, so that it is never a whole second.
            let digits = min(count, 15)
            var unit = 1.0
            for _ in 0..<digits { unit *= 10 }
            return DateText.pad(min(Int(time.fraction * unit), Int(unit) - 1), digits)
        case "a": return hour < 12 ? "AM" : "PM"
        case "z", "V": return "GMT"
        case "X": return "Z"
        case "O": return "GMT"
        case "Z", "x": return "+0000"
        default: return nil
        }
    }

    private struct Reading {
        var rest: Substring
        private var (year, month, day) = (1970, 1, 1)
        private var (hour, minute, second) = (0, 0, 0)
        private var fraction = 0.0
        private var offset = 0
        private var isAfternoon: Bool?

        init(rest: Substring) { self.rest = rest }

        static let months = [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
            "november", "december",
        ]
        static let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

        /// Nil if the day or time does not exist.
        var seconds: Double? {
            var hour = hour
            if let isAfternoon {
                guard (1...12).contains(hour) else { return nil }
                hour = hour % 12 + (isAfternoon ? 12 : 0)
            }
            // The reader of RFC 3339 knows the calendar.
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let years = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
            let text = "\(years)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))Z"
            return ImportDateFormat.rfc3339.seconds(of: text).map { $0 + fraction - Double(offset) }
        }

        mutating func take(_ text: String) -> Bool {
            // asctime writes two blanks before a day with one digit.
            if text == " " {
                guard rest.first == " " else { return false }
                while rest.first == " " { rest.removeFirst() }
                return true
            }
            guard rest.hasPrefix(text) else { return false }
            rest.removeFirst(text.count)
            return true
        }

        mutating func field(_ letter: Character, _ count: Int, isFollowed: Bool) -> Bool {
            switch letter {
            case "y", "u":
                guard let number = number(count == 2 ? 2 : max(count, 4), isExact: isFollowed || count > 1) else {
                    return false
                }
                // Two digits mean the nearest year to 2000, as in RFC 6265.
                year = count == 2 ? number + (number < 70 ? 2000 : 1900) : number
            case "M", "L":
                guard count >= 3 else { return set(\.month, 2, isFollowed && count == 2) }
                guard let index = name(Reading.months, isShort: count == 3) else { return false }
                month = index + 1
            case "d": return set(\.day, 2, isFollowed && count == 2)
            case "E", "c": return name(Reading.days, isShort: count <= 3) != nil
            case "H", "h", "k", "K": return set(\.hour, 2, isFollowed && count == 2)
            case "m": return set(\.minute, 2, isFollowed && count == 2)
            case "s": return set(\.second, 2, isFollowed && count == 2)
            case "S":
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty, let value = Double("0." + digits) else { return false }
                fraction = value
                rest.removeFirst(digits.count)
            case "a":
                guard let index = name(["am", "pm"], isShort: false) else { return false }
                isAfternoon = index == 1
            case "Z", "X", "x", "z", "O", "V": return zone()
            default: return false
            }
            return true
        }

        private mutating func set(_ part: WritableKeyPath<Reading, Int>, _ digits: Int, _ isExact: Bool) -> Bool {
            guard let number = number(digits, isExact: isExact) else { return false }
            self[keyPath: part] = number
            return true
        }

        private mutating func number(_ digits: Int, isExact: Bool) -> Int? {
            let text = rest.prefix(digits).prefix { $0.isASCII && $0.isNumber }
            guard !text.isEmpty, !isExact || text.count == digits else { return nil }
            rest.removeFirst(text.count)
            return Int(text)
        }

        private mutating func name(_ names: [String], isShort: Bool) -> Int? {
            for (index, name) in names.enumerated() {
                let wanted = isShort ? String(name.prefix(3)) : name
                let text = rest.prefix(wanted.count)
                if text.lowercased() == wanted {
                    rest.removeFirst(wanted.count)
                    return index
                }
            }
            return nil
        }

        private mutating func zone() -> Bool {
            for name in ["GMT", "UTC", "Z"] where rest.hasPrefix(name) {
                rest.removeFirst(name.count)
                guard rest.first == "+" || rest.first == "-" else { return true }
                break
            }
            guard let sign = rest.first, sign == "+" || sign == "-" else { return false }
            rest.removeFirst()
            guard let hours = number(2, isExact: true) else { return false }
            if rest.first == ":" { rest.removeFirst() }
            let minutes = number(2, isExact: true) ?? 0
            offset = (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
            return true
        }
    }
}
