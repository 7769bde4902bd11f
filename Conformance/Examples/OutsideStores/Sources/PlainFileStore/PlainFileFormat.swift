import GranaryStoreKit

// A folder has the file `schema`, which is the schema as JSON and never changes; for each entity with rows the file
// `<number>.rows`; and the file `commit`, which says what counts of them.
//
//     <number>.rows   a line a change, in the order of commits: + or -, tab, checksum, tab, fields with tabs between them
//     commit          granary-plain 1                    then a line for each entity, in the schema's order:
//                     7          the last commit         <number> <length of its file> <greatest key assigned>
//                     a1b2...    checksum of schema      and last the checksum of all lines before
//
// A row after + replaces the one with its key; after - only the key stands. Fields are in the order of the stored schema and as
// in PostgreSQL's text format: \N is nil, \t \n \r \\ stand for what would end a field, data is \x and hexadecimal digits.

/// Rows as lines of text.
struct LineFormat {
    let entity: Entity
    /// Where in a row each field is: the stored schema may be declared in another order.
    let positions: [Int]
    let seed: UInt64

    /// - Parameter stored: The entity in the schema the store was made for.
    init(_ entity: Entity, stored: Entity) {
        self.entity = entity
        positions = stored.attributes.compactMap { stored in entity.attributes.firstIndex { $0.id == stored.id } }
        seed = UInt64(entity.id)
    }

    func append(_ key: StoredValue, _ row: StoredRow?, to bytes: inout [UInt8]) {
        var fields: [UInt8] = []
        if let row {
            for (number, position) in positions.enumerated() {
                if number > 0 { fields.append(.tab) }
                LineFormat.append(row[position], to: &fields)
            }
        } else {
            key.withCell { LineFormat.append($0, to: &fields) }
        }
        let mark = row == nil ? UInt8(ascii: "-") : UInt8(ascii: "+")
        bytes += [mark, .tab] + checksum(mark, fields) + [.tab] + fields + [.newline]
    }

    private func checksum(_ mark: UInt8, _ fields: some Sequence<UInt8>) -> [UInt8] {
        ([mark] + fields).withUnsafeBytes { hexadecimal(StoreBytes.checksum($0, seed: seed)) }
    }

    private static func append(_ cell: Cell, to bytes: inout [UInt8]) {
        switch cell.kind {
        case .null: bytes += [.backslash, UInt8(ascii: "N")]
        case .integer: bytes += String(cell.integerValue).utf8
        case .real: bytes += String(cell.realValue).utf8
        case .bytes:
            bytes += [.backslash, UInt8(ascii: "x")]
            for byte in cell.rawBytes { bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        case .text:
            for byte in cell.rawBytes {
                if let letter = escapes[byte] { bytes += [.backslash, letter] } else { bytes.append(byte) }
            }
        }
    }

    /// A row, or the key of one that was deleted; nil if the line is damaged.
    func read(_ line: ArraySlice<UInt8>) -> (key: StoredValue, row: StoredRow?)? {
        let parts = line.split(separator: .tab, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let mark = parts[0].first, parts[1].elementsEqual(checksum(mark, parts[2])) else {
            return nil
        }
        let fields = parts[2].split(separator: .tab, omittingEmptySubsequences: false)
        guard mark == UInt8(ascii: "+") else {
            return value(fields[0], entity.attributes[entity.keyPosition]).map { ($0, nil) }
        }
        guard fields.count == positions.count else { return nil }
        var values = [StoredValue](repeating: .null, count: positions.count)
        for (field, position) in zip(fields, positions) {
            guard let value = value(field, entity.attributes[position]) else { return nil }
            values[position] = value
        }
        return (values[entity.keyPosition], StoredRow(values))
    }

    private func value(_ field: ArraySlice<UInt8>, _ attribute: Attribute) -> StoredValue? {
        if field.elementsEqual([.backslash, UInt8(ascii: "N")]) { return .null }
        switch attribute.type.storage {
        case .null: return nil
        case .integer: return Int64(String(decoding: field, as: UTF8.self)).map { .integer($0) }
        case .real: return Double(String(decoding: field, as: UTF8.self)).map { .real($0) }
        case .bytes:
            let digits = field.dropFirst(2).map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 0) }
            return .bytes(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
        case .text:
            var text: [UInt8] = []
            var isEscaped = false
            for byte in field {
                if isEscaped {
                    text.append(escapes.first { $0.value == byte }?.key ?? byte)
                    isEscaped = false
                } else if byte == .backslash {
                    isEscaped = true
                } else {
                    text.append(byte)
                }
            }
            return .text(text)
        }
    }
}

func hexadecimal(_ number: UInt64) -> [UInt8] {
    (0..<16).reversed().map { digits[Int(number >> (4 * $0) & 15)] }
}

private let digits = Array("0123456789abcdef".utf8)
private let escapes: [UInt8: UInt8] = [
    .tab: UInt8(ascii: "t"), .newline: UInt8(ascii: "n"), 13: UInt8(ascii: "r"), .backslash: .backslash,
]

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let newline = UInt8(ascii: "\n")
    static let backslash = UInt8(ascii: "\\")
}

/// What the file `commit` says.
struct CommitMark {
    var number: UInt64 = 0
    /// By entity, in the order of the stored schema.
    var tables: [(length: Int, lastKey: Int64)]
}

extension CommitMark {
    func bytes(_ stored: Schema, schemaChecksum: UInt64) -> [UInt8] {
        var bytes = Array("granary-plain 1\n\(number)\n".utf8) + hexadecimal(schemaChecksum) + [.newline]
        for (entity, table) in zip(stored.entities, tables) {
            bytes += "\(entity.id) \(table.length) \(table.lastKey)\n".utf8
        }
        return bytes + hexadecimal(bytes.withUnsafeBytes { StoreBytes.checksum($0, seed: 0) })
    }

    /// Nil if the bytes are damaged, or belong to another schema.
    init?(_ bytes: [UInt8], _ stored: Schema, schemaChecksum: UInt64) {
        let lines = bytes.split(separator: .newline).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count == stored.entities.count + 4, let number = UInt64(lines[1]) else { return nil }
        self.number = number
        tables = lines[3...].dropLast().compactMap { line in
            let fields = line.split(separator: " ").compactMap { Int($0) }
            return fields.count == 3 ? (fields[1], Int64(fields[2])) : nil
        }
        guard tables.count == stored.entities.count, self.bytes(stored, schemaChecksum: schemaChecksum) == bytes else {
            return nil
        }
    }

    init(_ state: State, _ order: [Int]) {
        number = state.number
        tables = order.map { (state.tables[$0].length, state.tables[$0].lastKey) }
    }
}
