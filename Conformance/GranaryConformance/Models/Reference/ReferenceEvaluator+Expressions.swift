import ConformanceKit
import Foundation
import GranaryCore

extension ReferenceEvaluator {
    /// - Parameter type: What a value or a literal stands beside.
    func value(_ node: AnyExpression.Node, _ place: Place, beside type: AttributeType? = nil) throws -> Typed {
        switch node {
        case .attribute(let path): return try attribute(path, place)
        case .value(let value):
            return Typed(
                ReferenceEvaluator.nearest(value, beside: type), ReferenceEvaluator.type(of: value, beside: type))
        case .literal(let literal): return try ReferenceEvaluator.value(of: literal, beside: type)
        case .arithmetic(let operation, let left, let right):
            var (first, second) = try pair(left, right, place)
            // A number beside a date is seconds.
            if first.type == .date, ReferenceEvaluator.isNumber(right) { second = try value(right, place) }
            if second.type == .date, ReferenceEvaluator.isNumber(left) { first = try value(left, place) }
            return try ReferenceEvaluator.apply(operation, first, second)
        case .ifNil(let first, let second):
            let (first, second) = try pair(first, second, place)
            return Typed(first.value == .null ? second.value : first.value, first.type)
        case .function(let function, let argument):
            return try ReferenceEvaluator.apply(function, try value(argument, place))
        case .aggregate(let function, let inner, let relationship?, let condition, let isDistinct):
            let (entity, rows) = try related(relationship, place)
            let counted = try rows.map { Place(entity: entity, row: $0) }
                .filter { place in try condition.map { try holds($0, place) } ?? true }
            return try aggregate(function, inner, isDistinct, over: counted, entity: entity)
        case .aggregate(_, _, nil, _, _):
            throw GranaryError(.invalidQuery, "An aggregate of a group, outside of one.")
        case .rank(let search?): return Typed(.real(try rank(search, place)), .double)
        case .rank(nil): throw GranaryError(.invalidQuery, "A rank without a search.")
        case .invalid(let code, let message, _): throw GranaryError(code, message)
        }
    }

    func aggregate(
        _ function: AggregateFunction, _ inner: AnyExpression.Node?, _ isDistinct: Bool, over places: [Place],
        entity: Int
    ) throws -> Typed {
        guard let inner else { return Typed(.integer(Int64(places.count)), .int64) }
        let type = try value(inner, Place(entity: entity, row: nil)).type
        guard let result = function.resultType(of: type) else {
            throw GranaryError(.typeMismatch, "The \(function) of \(type) is not defined.")
        }
        let values = try places.map { try value(inner, $0).value }
        return Typed(try ReferenceAggregate.result(function, values, type, isDistinct: isDistinct), result)
    }

    /// Two sides, of which a constant takes the type of the other.
    func pair(_ left: AnyExpression.Node, _ right: AnyExpression.Node, _ place: Place) throws -> (Typed, Typed) {
        func isConstant(_ node: AnyExpression.Node) -> Bool {
            switch node {
            case .value, .literal: true
            default: false
            }
        }
        if isConstant(left) && !isConstant(right) {
            let second = try value(right, place)
            return (try value(left, place, beside: second.type), second)
        }
        let first = try value(left, place)
        return (first, try value(right, place, beside: first.type))
    }

    private static func isNumber(_ node: AnyExpression.Node) -> Bool {
        switch node {
        case .literal(.number), .value(.integer), .value(.real): true
        default: false
        }
    }

    /// Beside a Float a double is a Float, unless it is too great for one.
    static func nearest(_ value: StoredValue, beside type: AttributeType?) -> StoredValue {
        guard type == .float, case .real(let double) = value, Float(double).isFinite else { return value }
        return .real(Double(Float(double)))
    }

    private static func type(of value: StoredValue, beside type: AttributeType?) -> AttributeType {
        if let type, value == .null || value.kind == type.storage { return type }
        switch value {
        case .null, .integer: return .int64
        case .real: return .double
        case .text: return .string
        case .bytes: return .data
        }
    }

    private static func value(of literal: AnyExpression.Literal, beside type: AttributeType?) throws -> Typed {
        func typed(_ value: StoredValue) -> Typed { Typed(value, self.type(of: value, beside: type)) }
        switch (literal, type) {
        case (.null, _): return typed(.null)
        case (.bool(let value), _): return Typed(.integer(value ? 1 : 0), .bool)
        case (.string(let text), _): return typed(.string(text))
        case (.date(let seconds), _): return Typed(.real(seconds), .date)
        case (.number(let text), .decimal):
            return typed(.bytes(try DecimalEncoding.encode(Decimal(string: text) ?? .nan)))
        case (.number(let text), .scaledDecimal(let places)):
            let value = (Decimal(string: text) ?? .nan) * Decimal(sign: .plus, exponent: places, significand: 1)
            return typed(.integer(Int64(value.description) ?? 0))
        case (.number(let text), .float):
            return typed(nearest(.real(Double(text) ?? .nan), beside: .float))
        case (.number(let text), .double), (.number(let text), .date):
            return typed(.real(Double(text) ?? .nan))
        case (.number(let text), _):
            return typed(Int64(text).map { .integer($0) } ?? .real(Double(text) ?? .nan))
        }
    }

    private enum Family { case integer, real, decimal, scaled(Int), date, other }

    private static func family(_ type: AttributeType) -> Family {
        switch type {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .integer
        case .float, .double: .real
        case .decimal: .decimal
        case .scaledDecimal(let places): .scaled(places)
        case .date: .date
        default: .other
        }
    }

    private static func apply(_ operation: ArithmeticOperator, _ left: Typed, _ right: Typed) throws -> Typed {
        func result(_ kind: NumberKind, _ type: AttributeType) throws -> Typed {
            Typed(try GranaryCore.apply(operation, left.value, right.value, as: kind), type)
        }
        switch (family(left.type), family(right.type)) {
        case (.integer, .integer): return try result(.integer, .int64)
        case (.real, .real) where left.type == .float && right.type == .float: return try result(.real, .float)
        case (.integer, .real), (.real, .integer), (.real, .real): return try result(.real, .double)
        case (.scaled(let a), .scaled(let b)) where a == b && (operation == .add || operation == .subtract):
            return try result(.integer, left.type)
        case (.scaled, .integer) where operation == .multiply: return try result(.integer, left.type)
        case (.integer, .scaled) where operation == .multiply: return try result(.integer, right.type)
        case (.decimal, .decimal), (.decimal, .integer), (.integer, .decimal), (.scaled, .decimal), (.decimal, .scaled),
            (.scaled, .integer), (.integer, .scaled), (.scaled, .scaled):
            return Typed(
                try GranaryCore.apply(operation, exact(left).value, exact(right).value, as: .decimal), .decimal)
        case (.date, .date) where operation == .subtract: return try result(.real, .double)
        case (.date, .integer), (.date, .real): return try result(.real, .date)
        default: throw GranaryError(.typeMismatch, "\(left.type) \(operation.rawValue) \(right.type).")
        }
    }

    /// An exact number as a decimal.
    static func exact(_ number: Typed) -> Typed {
        guard case .integer(let integer) = number.value else { return Typed(number.value, .decimal) }
        let places = if case .scaled(let places) = family(number.type) { places } else { 0 }
        let decimal = Decimal(string: "\(integer)e-\(places)") ?? .nan
        return Typed((try? DecimalEncoding.encode(decimal)).map { .bytes($0) } ?? .null, .decimal)
    }

    /// Whether numbers of the types compare by what they are as decimals.
    static func compareExactly(_ left: AttributeType, _ right: AttributeType) -> Bool {
        switch (family(left), family(right)) {
        case (.integer, .integer), (.decimal, .decimal): false
        case (.scaled(let a), .scaled(let b)): a != b
        case (.integer, .scaled), (.scaled, .integer), (.integer, .decimal), (.decimal, .integer), (.scaled, .decimal),
            (.decimal, .scaled):
            true
        default: false
        }
    }

    private static func zero(_ type: AttributeType) throws -> StoredValue {
        switch family(type) {
        case .integer, .scaled: .integer(0)
        case .real: .real(0)
        case .decimal: .bytes(DecimalNumber.zero.bytes)
        case .date, .other: throw GranaryError(.typeMismatch, "\(type) is not a number.")
        }
    }

    private static func apply(_ function: AnyExpression.Function, _ argument: Typed) throws -> Typed {
        func mapped(_ type: AttributeType, _ make: (StoredValue) throws -> StoredValue) rethrows -> Typed {
            Typed(argument.value == .null ? .null : try make(argument.value), type)
        }
        switch function {
        case .date(let part, let offset):
            return mapped(.int64) { value in
                guard case .real(let seconds) = value else { return .null }
                return component(part, of: seconds, offset: offset).map { .integer($0) } ?? .null
            }
        case .folded(let folding):
            return try mapped(.string) { value in
                guard case .text(let text) = value else { return .null }
                return .text(try folding.folded(text))
            }
        case .length:
            return mapped(.int64) { value in
                switch value {
                case .text(let text): .integer(Int64(String(decoding: text, as: UTF8.self).unicodeScalars.count))
                case .bytes(let bytes): .integer(Int64(bytes.count))
                default: .null
                }
            }
        case .json(let path, let type):
            let kind: JSONScalarKind =
                switch type {
                case .bool: .bool
                case .double: .real
                case .string: .text
                default: JSONScalarKind(rawValue: type.description) ?? .integer
                }
            return mapped(type) { value in
                guard case .text(let json) = value else { return .null }
                return json.withUnsafeBytes { path.value(as: kind, in: $0) }
            }
        case .real:
            return mapped(.double) { value in
                if case .integer(let integer) = value { .real(Double(integer)) } else { value }
            }
        case .decimal: return exact(argument)
        case .absolute:
            // A value below its negative is replaced by it. The least integer has no negative: that is an overflow.
            let negative = try apply(.subtract, Typed(try zero(argument.type), argument.type), argument)
            return argument.value < negative.value ? negative : Typed(argument.value, negative.type)
        }
    }
}
