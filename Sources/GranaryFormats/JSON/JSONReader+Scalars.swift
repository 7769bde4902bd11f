import GranaryText

extension JSONReader {
    /// Moves to the next byte that is not white space and returns it; returns 0 at the end of the input.
    @inline(__always)
    mutating func skipWhiteSpace() throws -> UInt8 {
        let byte = window.cursor.pointee
        return byte > 0x20 ? byte : try skipMoreWhiteSpace()
    }

    @inline(never)
    private mutating func skipMoreWhiteSpace() throws -> UInt8 {
        while true {
            let byte = window.cursor.pointee
            switch byte {
            case 0x20, 0x09, 0x0D: break
            case 0x0A:
                if options.layout == .lines {
                    throw fail(.invalidInput, "The line ends within a value. Write each value into one line.")
                }
                line += 1
            case 0:
                guard window.isAtLimit else { return 0 }
                guard try readMore() else { return 0 }
                continue
            default: return byte
            }
            window.cursor += 1
        }
    }

    /// Reads more, and notes an error of the source.
    mutating func readMore() throws -> Bool {
        do {
            return try window.readMore()
        } catch {
            throw sourceFailed(error)
        }
    }

    mutating func fill(_ count: Int) throws {
        do {
            try window.fill(count)
        } catch {
            throw sourceFailed(error)
        }
    }

    /// Reads the number at the cursor.
    @inline(__always)
    mutating func readNumber() throws {
        var position = 0
        number = JSONNumber(window.rest, at: &position)
        // A number that ends with the window may go on after it.
        if position == window.available { position = try readNumberAtLimit() }
        guard let number else {
            window.cursor += position
            throw unexpected("a digit")
        }
        textStart = UnsafePointer(window.cursor)
        textCount = number.text.count
        window.cursor += position
    }

    @inline(never)
    private mutating func readNumberAtLimit() throws -> Int {
        while true {
            let tried = window.available
            try fill(tried * 2)
            var position = 0
            number = JSONNumber(window.rest, at: &position)
            if position < window.available || window.isAtEndOfStream && window.available < InputWindow.size {
                return position
            }
            if tried >= InputWindow.size {
                throw fail(.limit, "A number has more than \(InputWindow.size) digits. Write it as a string.")
            }
        }
    }
}
