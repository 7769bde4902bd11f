import Testing

@testable import GranaryModel
import TestSupport

struct ArithmeticTests {
    @Test func `nil with anything is nil`() throws {
        for operation in ArithmeticOperator.allCases {
            for kind in NumberKind.allCases {
                #expect(try apply(operation, .null, .integer(0), as: kind) == .null)
                #expect(try apply(operation, .integer(0), .null, as: kind) == .null)
                #expect(try apply(operation, .null, .null, as: kind) == .null)
            }
        }
    }

    @Test(
        arguments: [
            (7, ArithmeticOperator.add, 5, 12), (7, .subtract, 9, -2), (7, .multiply, -3, -21), (7, .divide, 2, 3),
            (-7, .divide, 2, -3), (7, .divide, -2, -3), (7, .remainder, 3, 1), (-7, .remainder, 3, -1),
            (7, .remainder, -3, 1), (Int64.min, .remainder, -1, 0), (Int64.max, .add, Int64.min, -1),
        ] as [(Int64, ArithmeticOperator, Int64, Int64)])
    func `integers are exact and division truncates toward zero`(
        _ left: Int64, _ operation: ArithmeticOperator, _ right: Int64, _ result: Int64
    ) throws {
        #expect(try apply(operation, .integer(left), .integer(right), as: .integer) == .integer(result))
    }

    @Test(
        arguments: [
            (Int64.max, ArithmeticOperator.add, Int64(1)), (.min, .subtract, 1), (.max, .multiply, 2),
            (.min, .divide, -1),
            (5, .divide, 0), (5, .remainder, 0), (0, .divide, 0),
        ] as [(Int64, ArithmeticOperator, Int64)])
    func `an integer result that does not exist is an overflow`(
        _ left: Int64, _ operation: ArithmeticOperator, _ right: Int64
    ) {
        #expect(code { _ = try apply(operation, .integer(left), .integer(right), as: .integer) } == .overflow)
    }

    @Test(
        arguments: [
            (0.1, ArithmeticOperator.add, 0.2, 0.30000000000000004), (1, .subtract, 1.5, -0.5),
            (3, .multiply, 0.5, 1.5),
            (1, .divide, 3, 1.0 / 3), (5.5, .remainder, 2, 1.5), (-5.5, .remainder, 2, -1.5),
            (1e308, .multiply, 10, .infinity),
            (-1e308, .multiply, 10, -.infinity), (.infinity, .add, 1, .infinity), (1, .divide, .infinity, 0),
            (3, .remainder, .infinity, 3),
        ] as [(Double, ArithmeticOperator, Double, Double)])
    func `doubles are those of IEEE`(_ left: Double, _ operation: ArithmeticOperator, _ right: Double, _ result: Double)
        throws
    {
        #expect(try apply(operation, .real(left), .real(right), as: .real) == .real(result))
    }

    @Test(
        arguments: [
            (0.0, ArithmeticOperator.multiply, -1.0), (-4, .remainder, 2), (-1, .divide, .infinity),
            (-1e-300, .multiply, 1e-300),
        ] as [(Double, ArithmeticOperator, Double)])
    func `a double result is never minus zero`(_ left: Double, _ operation: ArithmeticOperator, _ right: Double) throws
    {
        guard case .real(let result) = try apply(operation, .real(left), .real(right), as: .real) else {
            Issue.record("not a real")
            return
        }
        #expect(result.bitPattern == 0)
    }

    @Test(
        arguments: [
            (Double.infinity, ArithmeticOperator.subtract, Double.infinity, GranaryError.Code.range),
            (.infinity, .multiply, 0, .range), (.infinity, .divide, .infinity, .range),
            (.infinity, .remainder, 2, .range),
            (1, .divide, 0, .overflow), (1, .remainder, 0, .overflow), (0, .divide, 0, .overflow),
        ] as [(Double, ArithmeticOperator, Double, GranaryError.Code)])
    func `NaN and division by zero are errors`(
        _ left: Double, _ operation: ArithmeticOperator, _ right: Double, _ expected: GranaryError.Code
    ) {
        #expect(code { _ = try apply(operation, .real(left), .real(right), as: .real) } == expected)
    }

    @Test func `an integer in a real operation is the nearest double`() throws {
        #expect(try apply(.add, .integer(1), .real(0.5), as: .real) == .real(1.5))
        #expect(try apply(.divide, .integer(1), .integer(4), as: .real) == .real(0.25))
        #expect(try apply(.add, .integer(1 << 53 + 1), .real(0), as: .real) == .real(0x1p53))
    }

    @Test(
        arguments: [
            ("12.5", ArithmeticOperator.add, "-2.5", "10"), ("0.1", .add, "0.2", "0.3"),
            ("1", .subtract, "0.001", "0.999"),
            ("99999999999999999999999999999999999999", .add, "1", "1e38"),
            ("1e37", .add, "1", "10000000000000000000000000000000000001"),
            ("1.5", .multiply, "-4", "-6"), ("1e-100", .multiply, "1e100", "1"),
            (
                "1267650600228229401496703205376", .multiply, "9094947017729282379150390625",
                "1152921504606846976e40"
            ),
            ("1", .divide, "3", "0.33333333333333333333333333333333333333"),
            ("2", .divide, "3", "0.66666666666666666666666666666666666667"),
            ("-2", .divide, "3", "-0.66666666666666666666666666666666666667"), ("1", .divide, "8", "0.125"),
            ("10000000000000000000000000000000000001", .divide, "2", "5000000000000000000000000000000000000.5"),
            ("99999999999999999999999999999999999995", .divide, "10", "9999999999999999999999999999999999999.5"),
            ("0", .divide, "7", "0"), ("1e-128", .divide, "3", "0"), ("2e-128", .divide, "3", "1e-128"),
            ("1e-128", .divide, "2", "0"), ("3e-128", .divide, "2", "2e-128"),
            ("1e-100", .divide, "3", "3333333333333333333333333333e-128"),
            ("5.5", .remainder, "2", "1.5"), ("-5.5", .remainder, "2", "-1.5"), ("5.5", .remainder, "-2", "1.5"),
            ("1e100", .remainder, "7", "4"), ("0.5", .remainder, "1e100", "0.5"), ("6", .remainder, "0.1", "0"),
        ] as [(String, ArithmeticOperator, String, String)])
    func `decimals are exact, and quotients the nearest of 38 digits`(
        _ left: String, _ operation: ArithmeticOperator, _ right: String, _ result: String
    ) throws {
        #expect(try apply(operation, decimal(left), decimal(right), as: .decimal) == decimal(result))
    }

    @Test(
        arguments: [
            ("99999999999999999999999999999999999999", ArithmeticOperator.add, "0.1", GranaryError.Code.range),
            ("1e38", .add, "1", .range), ("1e127", .add, "1e-128", .range), ("1e127", .multiply, "10", .range),
            ("1e-128", .multiply, "0.1", .range), ("12345678901234567891", .multiply, "12345678901234567891", .range),
            ("1e127", .divide, "1e-10", .range), ("1", .divide, "0", .overflow), ("1", .remainder, "0", .overflow),
            ("0", .divide, "0", .overflow),
        ] as [(String, ArithmeticOperator, String, GranaryError.Code)])
    func `a decimal result that does not fit is an error`(
        _ left: String, _ operation: ArithmeticOperator, _ right: String, _ expected: GranaryError.Code
    ) throws {
        let (left, right) = (try decimal(left), try decimal(right))
        #expect(code { _ = try apply(operation, left, right, as: .decimal) } == expected)
    }

    @Test func `an integer in a decimal operation is the same decimal`() throws {
        #expect(try apply(.multiply, decimal("1.5"), .integer(4), as: .decimal) == decimal("6"))
        #expect(try apply(.add, .integer(.min), decimal("0.5"), as: .decimal) == decimal("-9223372036854775807.5"))
    }

    @Test func `an operand of another kind is a type mismatch, and damaged bytes are corrupt`() {
        #expect(code { _ = try apply(.add, .real(1), .integer(1), as: .integer) } == .typeMismatch)
        #expect(code { _ = try apply(.add, .string("1"), .real(1), as: .real) } == .typeMismatch)
        #expect(code { _ = try apply(.add, .real(1), .integer(1), as: .decimal) } == .typeMismatch)
        #expect(code { _ = try apply(.add, .bytes([0xC0]), .integer(1), as: .decimal) } == .corrupt)
        #expect(code { _ = try apply(.add, .bytes([]), .integer(1), as: .decimal) } == .corrupt)
    }
}
