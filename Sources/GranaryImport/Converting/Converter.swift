import Foundation
import GranaryCore
import GranaryPlatform

/// Converts a scalar of a source to the cell of one attribute. A value that cannot be converted does not change the
/// attribute.
struct Converter: Sendable {
    let type: AttributeType
    let dates: [ImportDateFormat]
    let data: ImportDataFormat
    /// Whether the mapping has no date formats, so that a numeric text counts as a date only if it is long enough.
    private let guessesDates: Bool

    init(type: AttributeType, dates: [ImportDateFormat], data: ImportDataFormat) {
        self.type = type
        self.dates = dates
        self.data = data
        guessesDates = dates == ImportDateFormat.standard
    }

    /// Converts a value and gives it to an attribute.
    ///
    /// - Returns: The reason why it cannot be converted; nil on success.
    func convert(_ scalar: Scalar, into stage: RowStage, _ row: Int, _ position: Int) -> String? {
        if case .null = scalar {
            stage.give(.null, row, position)
            return nil
        }
        switch type {
        case .bool:
            guard let value = bool(scalar) else { return "is not a boolean" }
            stage.give(.integer(value ? 1 : 0), row, position)
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
            guard let value = integer(scalar) else { return "is not a whole number within Int64" }
            if let range = type.integerRange, !range.contains(value) { return "does not fit \(type)" }
            stage.give(.integer(value), row, position)
        case .float, .double:
            guard let value = real(scalar) else { return "is not a number" }
            guard type == .float else {
                stage.give(.real(value + 0.0), row, position)
                return nil
            }
            let float = Float(value)
            guard float.isFinite || value.isInfinite else { return "does not fit \(type)" }
            stage.give(.real(Double(float) + 0.0), row, position)
        case .decimal:
            guard let bytes = decimal(scalar)?.bytes else {
                return "is not a number of at most 38 digits"
            }
            bytes.withUnsafeBytes { stage.give(.bytes($0), row, position) }
        case .scaledDecimal(let places):
            guard let value = scaled(scalar, places) else { return "is not a number with at most \(places) places" }
            stage.give(.integer(value), row, position)
        case .string: return text(scalar, into: stage, row, position)
        case .url:
            guard case .text(let utf8) = scalar, !utf8.isEmpty,
                URL(string: String(decoding: utf8, as: UTF8.self)) != nil
            else { return "is not a URL" }
            stage.give(.text(utf8), row, position)
        case .uuid:
            guard let value = uuid(scalar) else { return "is not a UUID" }
            withUnsafeBytes(of: value.uuid) { stage.give(.bytes($0), row, position) }
        case .date:
            guard let seconds = seconds(scalar) else { return reason(scalar) }
            stage.give(.real(seconds + 0.0), row, position)
        case .data:
            switch scalar {
            case .bytes(let bytes): stage.give(.bytes(bytes), row, position)
            case .text(let utf8):
                guard let bytes = data.bytes(of: utf8) else { return "is not \(data)" }
                bytes.withUnsafeBytes { stage.give(.bytes($0), row, position) }
            default: return "is not data"
            }
        case .json:
            return json(scalar.value, into: stage, row, position)
        }
        return nil
    }

    /// An array or an object.
    func convert(_ value: ImportValue, into stage: RowStage, _ row: Int, _ position: Int) -> String? {
        switch (type, value) {
        case (.json, _): return json(value, into: stage, row, position)
        case (.data, .array(let elements)):
            var bytes: [UInt8] = []
            for element in elements {
                guard case .integer(let number) = element, let byte = UInt8(exactly: number) else {
                    return "is not an array of bytes"
                }
                bytes.append(byte)
            }
            bytes.withUnsafeBytes { stage.give(.bytes($0), row, position) }
            return nil
        default: return "is \(value.kindName), which is not read as \(type)"
        }
    }

    private func json(_ value: ImportValue, into stage: RowStage, _ row: Int, _ position: Int) -> String? {
        guard let bytes = try? value.canonicalJSON() else { return "has no form in JSON" }
        bytes.withUnsafeBytes { stage.give(.text($0), row, position) }
        return nil
    }
}

extension Converter {
    private func bool(_ scalar: Scalar) -> Bool? {
        switch scalar {
        case .bool(let value): value
        case .integer(let value): value != 0
        case .real(let value): value.isNaN ? nil : value != 0
        case .number(let text): NumberText(text)?.decimal.map { $0.magnitude != 0 }
        case .text(let utf8): Converter.word(utf8) ?? NumberText(utf8)?.decimal.map { $0.magnitude != 0 }
        case .null, .bytes, .date: nil
        }
    }

    /// `true`, `t`, `yes`, `y`, `on` and their opposites, in upper or lower case.
    private static func word(_ utf8: UnsafeRawBufferPointer) -> Bool? {
        let text = utf8.trimmed
        guard text.count <= 5 else { return nil }
        return switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true", "t", "yes", "y", "on": true
        case "false", "f", "no", "n", "off": false
        default: nil
        }
    }

    /// `inf` and `-inf`, as exports write them.
    private static func infinity(_ utf8: UnsafeRawBufferPointer) -> Double? {
        switch String(decoding: utf8.trimmed.prefix(10), as: UTF8.self).lowercased() {
        case "inf", "infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: nil
        }
    }

    private func integer(_ scalar: Scalar) -> Int64? {
        switch scalar {
        case .integer(let value): value
        case .bool(let value): value ? 1 : 0
        case .real(let value): Int64(exactly: value)
        case .number(let text): NumberText(text)?.integer
        case .text(let utf8):
            if let number = NumberText(utf8) { number.integer } else { Converter.word(utf8).map { $0 ? 1 : 0 } }
        case .null, .bytes, .date: nil
        }
    }

    private func real(_ scalar: Scalar) -> Double? {
        switch scalar {
        case .real(let value): value.isNaN ? nil : value
        case .integer(let value): Double(value)
        case .bool(let value): value ? 1 : 0
        case .number(let text): NumberText(text)?.real
        case .text(let utf8):
            if let number = NumberText(utf8) {
                number.real
            } else {
                Converter.word(utf8).map { $0 ? 1 : 0 } ?? Converter.infinity(utf8)
            }
        case .null, .bytes, .date: nil
        }
    }

    private func decimal(_ scalar: Scalar) -> DecimalNumber? {
        switch scalar {
        case .integer(let value): DecimalNumber(value)
        case .number(let text), .text(let text): NumberText(text)?.decimal
        case .bool(let value): DecimalNumber(value ? 1 : 0)
        case .real(let value): Converter.withText(of: value) { NumberText($0)?.decimal }
        case .null, .bytes, .date: nil
        }
    }

    private func scaled(_ scalar: Scalar, _ places: Int) -> Int64? {
        switch scalar {
        case .integer(let value): Converter.withText(of: value) { NumberText($0)?.scaled(places: places) }
        case .number(let text), .text(let text): NumberText(text)?.scaled(places: places)
        case .bool(let value): Converter.withText(of: value ? 1 : 0) { NumberText($0)?.scaled(places: places) }
        case .real(let value): Converter.withText(of: value) { NumberText($0)?.scaled(places: places) }
        case .null, .bytes, .date: nil
        }
    }

    /// Calls `body` with the shortest digits that mean exactly this double.
    private static func withText<T>(of value: some CustomStringConvertible, _ body: (UnsafeRawBufferPointer) -> T) -> T
    {
        var text = value.description
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    private func text(_ scalar: Scalar, into stage: RowStage, _ row: Int, _ position: Int) -> String? {
        switch scalar {
        case .text(let utf8), .number(let utf8): stage.give(.text(utf8), row, position)
        case .integer(let value): Converter.withText(of: value) { stage.give(.text($0), row, position) }
        case .bool(let value): Converter.withText(of: value) { stage.give(.text($0), row, position) }
        case .real(let value):
            guard value.isFinite else { return "is not a finite number" }
            let text = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            Converter.withText(of: text) { stage.give(.text($0), row, position) }
        case .bytes(let bytes):
            Converter.withText(of: data.text(of: bytes)) { stage.give(.text($0), row, position) }
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            guard let text = DateText.text(seconds) else { return "is not a date of the years 0 to 9999" }
            Converter.withText(of: text) { stage.give(.text($0), row, position) }
        case .null: stage.give(.null, row, position)
        }
        return nil
    }

    private func seconds(_ scalar: Scalar) -> Double? {
        switch scalar {
        case .date(let date):
            return date.timeIntervalSinceReferenceDate.isFinite ? date.timeIntervalSinceReferenceDate : nil
        case .integer(let value):
            guard !guessesDates || Converter.areSeconds(value) else { return nil }
            return first { $0.seconds(ofNumber: Double(value)) }
        case .real(let value): return first { $0.seconds(ofNumber: value) }
        case .number(let text):
            guard !guessesDates || Converter.areSeconds(text) else { return nil }
            return NumberText(text)?.real.flatMap { number in first { $0.seconds(ofNumber: number) } }
        case .text(let utf8):
            let text = String(decoding: utf8, as: UTF8.self)
            guard guessesDates, !Converter.isLong(utf8) || !Converter.areSeconds(utf8) else {
                return first { $0.seconds(of: text) }
            }
            // `2024` and `20240501` do not mean seconds since 1970.
            return first { $0 == .secondsSince1970 ? nil : $0.seconds(of: text) }
        case .null, .bool, .bytes: return nil
        }
    }

    /// The reason why a value is not a date.
    private func reason(_ scalar: Scalar) -> String {
        guard guessesDates else { return "is not a date in any of the formats" }
        let number = "is a number that may not be seconds since 1970: name its format, such as millisecondsSince1970"
        return switch scalar {
        case .integer, .number: number
        case .text(let utf8) where NumberText(utf8) != nil: number
        case .text(let utf8) where utf8.contains(UInt8(ascii: "/")):
            "is not a date that can be read in one way only: name its pattern, such as dd/MM/yyyy"
        default: "is not a date in any of the formats"
        }
    }

    /// Whether a number can only mean seconds since 1970. A number written with a point does: exports write dates
    /// outside the years 0 to 9999 in this form.
    private static func areSeconds(_ utf8: UnsafeRawBufferPointer) -> Bool {
        guard !utf8.contains(UInt8(ascii: ".")), let value = NumberText(utf8) else { return true }
        return value.integer.map(areSeconds) ?? false
    }

    /// True for the years 0 to 9999, but not for a number such as 20240501 that may mean a day.
    private static func areSeconds(_ value: Int64) -> Bool {
        guard (-62_167_219_200..<253_402_300_800).contains(value) else { return false }
        return
            !((1000...2999).contains(value / 10_000) && (1...12).contains(value / 100 % 100)
            && (1...31).contains(value % 100))
    }

    /// Whether a text is a number with at least nine digits before its point. Seconds since 1970 have nine digits from
    /// 1973 on.
    private static func isLong(_ utf8: UnsafeRawBufferPointer) -> Bool {
        NumberText(utf8)?.real.map { abs($0) >= 100_000_000 } ?? false
    }

    private func first(_ seconds: (ImportDateFormat) -> Double?) -> Double? {
        for format in dates { if let found = seconds(format) { return found } }
        return nil
    }

    private func uuid(_ scalar: Scalar) -> UUID? {
        switch scalar {
        case .bytes(let bytes): return bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        case .text(let utf8):
            let text = utf8.trimmed
            if text.count == 36 { return UUID(uuidString: String(decoding: text, as: UTF8.self)) }
            guard text.count == 32, let bytes = ImportDataFormat.hex.bytes(of: text), bytes.count == 16 else {
                return nil
            }
            return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        default: return nil
        }
    }
}

extension Scalar {
    /// The value, copied.
    var value: ImportValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .number(let text): .decimal(String(decoding: text, as: UTF8.self))
        case .real(let value): .double(value)
        case .text(let utf8): .string(String(decoding: utf8, as: UTF8.self))
        case .bytes(let bytes): .data(Data(bytes))
        case .date(let date): .date(date)
        }
    }
}
