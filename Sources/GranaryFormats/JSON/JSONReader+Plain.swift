import GranaryPlatform
import GranaryText

extension JSONReader {
    /// Reads the next plain values of the innermost array or object, at most 64, without an event for each.
    ///
    /// It takes values that lie in the window, have at most one blank before them, and have keys in the order of
    /// earlier objects. The result may be empty. ``next()`` goes on after the last value taken: it reads, or refuses,
    /// everything that was not taken here.
    ///
    /// The members are valid until the reader goes on.
    package mutating func takePlain() -> UnsafeBufferPointer<PlainMember> {
        let count =
            switch expectation {
            case .firstKey, .memberEnd: takePlainMembers()
            case .firstElement, .elementEnd: takePlainElements()
            default: 0
            }
        return UnsafeBufferPointer(start: plain.start, count: count)
    }

    private mutating func takePlainMembers() -> Int {
        let depth = frames.count - 1
        let patterns = seen[depth].patterns
        var (isSeen, next) = seen[depth].position
        var isFirst = expectation == .firstKey
        var end = UnsafePointer(window.cursor)
        var last: (key: UnsafePointer<UInt8>, value: UnsafePointer<UInt8>) = (end, end)
        var count = 0
        // At the end of the window is a zero. The code below never takes a zero for a part of a member.
        while count < PlainMembers.capacity, next < patterns.count, isSeen & (1 << UInt64(next)) == 0 {
            var key = end
            if !isFirst {
                guard key.pointee == UInt8(ascii: ",") else { break }
                key = JSONReader.afterBlank(key + 1)
            }
            guard key.pointee == UInt8(ascii: "\""), let pattern = patterns[next], pattern.matches(key + 1) else {
                break
            }
            key += 1
            let colon = key + pattern.count + 1
            guard colon.pointee == UInt8(ascii: ":") else { break }
            let value = JSONReader.afterBlank(colon + 1)
            guard let member = plainValue(at: value, next, UnsafeRawBufferPointer(start: key, count: pattern.count)),
                member.end.pointee == UInt8(ascii: ",") || member.end.pointee == UInt8(ascii: "}")
            else { break }
            (plain.start + count).initialize(to: member.value)
            count += 1
            isSeen |= 1 << UInt64(next)
            next += 1
            isFirst = false
            last = (key, value)
            end = member.end
        }
        guard count > 0 else { return 0 }
        seen[depth].position = (isSeen, next)
        let keyCount = plain.start[count - 1].key.count
        let keyStart = frames[depth].keyStart
        keys.truncate(keyStart)
        keys.append(last.key, keyCount)
        frames[depth].keyEnd = keyStart + keyCount
        moved(to: end, last.value)
        expectation = .memberEnd
        return count
    }

    private mutating func takePlainElements() -> Int {
        let depth = frames.count - 1
        var isFirst = expectation == .firstElement
        var end = UnsafePointer(window.cursor)
        var last = end
        var count = 0
        while count < PlainMembers.capacity {
            var value = end
            if !isFirst {
                guard value.pointee == UInt8(ascii: ",") else { break }
                value = JSONReader.afterBlank(value + 1)
            }
            guard let element = plainValue(at: value, -1, UnsafeRawBufferPointer(start: nil, count: 0)),
                element.end.pointee == UInt8(ascii: ",") || element.end.pointee == UInt8(ascii: "]")
            else { break }
            (plain.start + count).initialize(to: element.value)
            frames[depth].index = isFirst ? 0 : frames[depth].index + 1
            count += 1
            isFirst = false
            last = value
            end = element.end
        }
        guard count > 0 else { return 0 }
        moved(to: end, last)
        expectation = .elementEnd
        return count
    }

    /// Moves to `end` in the window. The last event began at `last`.
    private mutating func moved(to end: UnsafePointer<UInt8>, _ last: UnsafePointer<UInt8>) {
        eventOffset = window.offset + (last - UnsafePointer(window.cursor))
        window.cursor += end - UnsafePointer(window.cursor)
        // The reader does not have the text of this event.
        textStart = UnsafePointer(keys.start)
        textCount = 0
        number = nil
    }

    @inline(__always)
    private static func afterBlank(_ place: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        place.pointee == 0x20 ? place + 1 : place
    }

    /// The value that begins at a place, and its end; nil if the value is not plain, or does not end within the window.
    @inline(__always)
    private func plainValue(
        at start: UnsafePointer<UInt8>, _ keyNumber: Int, _ key: UnsafeRawBufferPointer
    ) -> (value: PlainMember, end: UnsafePointer<UInt8>)? {
        func member(_ kind: PlainMember.Kind, _ count: Int, text: Int = 0, _ content: Int64 = 0) -> (
            value: PlainMember, end: UnsafePointer<UInt8>
        ) {
            let bytes = UnsafeRawBufferPointer(start: start + text, count: count - 2 * text)
            let value = PlainMember(keyNumber: keyNumber, key: key, kind: kind, text: bytes, content: content)
            return (value, start + count)
        }
        func number() -> (value: PlainMember, end: UnsafePointer<UInt8>)? {
            var count = 0
            let left = window.available - (start - UnsafePointer(window.cursor))
            guard let number = JSONNumber(UnsafeRawBufferPointer(start: start, count: left), at: &count) else {
                return nil
            }
            if let integer = number.plainInteger { return member(.integer, count, integer) }
            return member(.number, count, Int64(bitPattern: (number.real ?? .nan).bitPattern))
        }
        switch start.pointee {
        case UInt8(ascii: "\""):
            var end = TextScan.endOfPlain(start + 1)
            if end.pointee >= 0x80 { end = endOfUnusual(end) }
            let count = end - start - 1
            guard end.pointee == UInt8(ascii: "\""), count <= options.maximumTextLength else { return nil }
            return member(.string, count + 2, text: 1)
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            var integer: Int64 = 0
            var end = start
            // Up to 18 digits cannot overflow. After them come more digits, or the number is no integer.
            while end - start < 18 {
                let digit = end.pointee &- UInt8(ascii: "0")
                if digit > 9 { break }
                integer = integer &* 10 &+ Int64(digit)
                end += 1
            }
            let next = end.pointee
            let isWhole = next == UInt8(ascii: ",") || next == UInt8(ascii: "}") || next == UInt8(ascii: "]")
            return isWhole ? member(.integer, end - start, integer) : number()
        case UInt8(ascii: "0"), UInt8(ascii: "-"): return number()
        case UInt8(ascii: "t"): return JSONReader.isWord(start, "true") ? member(.true, 4) : nil
        case UInt8(ascii: "f"): return JSONReader.isWord(start, "false") ? member(.false, 5) : nil
        case UInt8(ascii: "n"): return JSONReader.isWord(start, "null") ? member(.null, 4) : nil
        default: return nil
        }
    }

    private static func isWord(_ start: UnsafePointer<UInt8>, _ word: StaticString) -> Bool {
        // There is room beyond the end of the window.
        memcmp(start, word.utf8Start, word.utf8CodeUnitCount) == 0
    }

    /// The end of a string with characters beyond ASCII: its quote, or the first byte that is not plain.
    @inline(never)
    private func endOfUnusual(_ found: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        let rest = window.rest
        let start = UnsafePointer(window.cursor)
        var end = found - start
        while true {
            let plain = end
            end = UTF8Scan.endOfValidNonASCII(rest, from: end)
            if end == plain { return start + end }
            end = TextScan.endOfPlain(start + end) - start
            if start[end] < 0x80 { return start + end }
        }
    }
}
