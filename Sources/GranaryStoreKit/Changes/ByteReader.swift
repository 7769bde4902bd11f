// Numbers and values in sequence, as the history and the notes of parts keep them.

extension [UInt8] {
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(_ value: StoredValue) {
        append(value.kind.rawValue)
        switch value {
        case .null: break
        case .integer(let integer):
            append(number: UInt64(bitPattern: (integer << 1) ^ (integer >> 63)))
        case .real(let real): Swift.withUnsafeBytes(of: real.bitPattern.littleEndian) { append(contentsOf: $0) }
        case .text(let bytes), .bytes(let bytes):
            append(number: UInt64(bytes.count))
            append(contentsOf: bytes)
        }
    }
}

struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static var damaged: GranaryError { .damagedHistory }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws -> UInt8 {
        guard place < bytes.count else { throw ByteReader.damaged }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() throws -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let byte = try byte()
            result |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return result }
        }
        throw ByteReader.damaged
    }

    mutating func value() throws -> StoredValue {
        guard let kind = Cell.Kind(rawValue: try byte()) else { throw ByteReader.damaged }
        switch kind {
        case .null: return .null
        case .integer:
            let bits = try number()
            return .integer(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case .real:
            var bits: UInt64 = 0
            for shift in stride(from: 0, to: 64, by: 8) { bits |= UInt64(try byte()) << UInt64(shift) }
            return .real(Double(bitPattern: bits))
        case .text: return .text(try run())
        case .bytes: return .bytes(try run())
        }
    }

    private mutating func run() throws -> [UInt8] {
        let count = try number()
        guard count <= UInt64(bytes.count - place) else { throw ByteReader.damaged }
        defer { place += Int(count) }
        return Array(bytes[place..<(place + Int(count))])
    }
}
