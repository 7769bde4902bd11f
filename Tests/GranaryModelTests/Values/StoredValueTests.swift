import Foundation
import GranaryCore
import Testing
import TestSupport

struct StoredValueTests {
    private enum Mood: String, AttributeValue { case calm, wild }

    private func expect<Value: AttributeValue & Equatable>(_ value: Value, line: Int = #line) throws {
        let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(try StoredValue(encoding: value).value(as: Value.self) == value, sourceLocation: location)
        #expect(try StoredValue(encoding: value).value(as: Value?.self) == value, sourceLocation: location)
        #expect(try StoredValue.null.value(as: Value?.self) == nil, sourceLocation: location)
    }

    @Test func `a stored value gives the Swift value of each attribute type`() throws {
        try expect(true)
        try expect(-3)
        try expect(Int8.min)
        try expect(UInt16.max)
        try expect(Int64.max)
        try expect(2.5)
        try expect(Float(0.1))
        try expect(#require(Decimal(string: "12.345")))
        try expect(ScaledDecimal<2>(9.99))
        try expect("e\u{301}\0")
        try expect(Data([0, 255]))
        try expect([UInt8]([0, 255]))
        try expect(Date(timeIntervalSinceReferenceDate: 1.0 / 3))
        try expect(UUID())
        try expect(#require(URL(string: "https://example.com/a")))
        try expect(Mood.wild)
        try expect(JSON(["a": 1]))
        #expect(try StoredValue.real(0.1).value(as: Float.self) == 0.1)
        let inferred: String = try StoredValue.string("text").value()
        #expect(inferred == "text")
    }

    private func code<Value: AttributeValue>(_ value: StoredValue, _ type: Value.Type) -> GranaryError.Code? {
        do {
            _ = try value.value(as: type)
            return nil
        } catch {
            return (error as? GranaryError)?.code
        }
    }

    @Test func `a type of another stored form is a mismatch, a value that does not fit is out of range`() {
        for value in [StoredValue.null, .integer(2), .real(1.5), .string("x"), .bytes([1, 2, 3])] {
            #expect(code(value, Bool.self) == .typeMismatch)
            #expect(code(value, Decimal.self) == .typeMismatch)
            #expect(code(value, UUID.self) == .typeMismatch)
            #expect(code(value, Mood.self) == .typeMismatch)
            #expect(code(value, JSON<Int>.self) == .typeMismatch)
            #expect(code(value, Int.self) == (value.kind == .integer ? nil : .typeMismatch))
            #expect(code(value, Date.self) == (value.kind == .real ? nil : .typeMismatch))
            #expect(code(value, String.self) == (value.kind == .text ? nil : .typeMismatch))
            #expect(code(value, Data.self) == (value.kind == .bytes ? nil : .typeMismatch))
        }
        #expect(code(.integer(300), Int8.self) == .range)
        #expect(code(.integer(-1), UInt64.self) == .range)
        #expect(code(.text([0xFF]), String.self) == .typeMismatch)
    }

    @Test func `the message says what is there and what to ask for`() {
        let error = #expect(throws: GranaryError.self) { try StoredValue.null.value(as: Int.self) }
        #expect(
            error?.message
                == "The value is nil, which is not read as Int. Ask for the attribute's own type, as an optional.")
    }
}
