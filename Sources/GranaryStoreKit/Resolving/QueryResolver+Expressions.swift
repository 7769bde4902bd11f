extension QueryResolver {
    package func attribute(_ position: Int, of entity: Int) -> TypedExpression {
        // Read separately, so that no entity or attribute is copied for two of its properties.
        let type = schema.entities[entity].attributes[position].type
        let isOptional = schema.entities[entity].attributes[position].isOptional
        return TypedExpression(.attribute(position), type, isOptional: isOptional)
    }

    /// - Parameter expected: The type a value or literal takes.
    func expression(_ node: AnyExpression.Node, of entity: Int, expecting expected: AttributeType? = nil) throws
        -> TypedExpression
    {
        switch node {
        case .attribute(let name):
            let path = try path(name, from: entity)
            try refuseExternal(path)
            return expression(path)
        case .value(let value):
            let type = expected ?? value.naturalType
            let value = value.nearest(in: type)
            return TypedExpression(
                .value(value), type.accepts(value) ? type : value.naturalType, isOptional: value == .null)
        case .literal(let literal):
            let type = expected ?? literal.naturalType
            let value = try value(literal, as: type, entity)
            return TypedExpression(
                .value(value), type.accepts(value) ? type : value.naturalType, isOptional: value == .null)
        case .arithmetic(let operation, let left, let right):
            return try arithmetic(operation, left, right, of: entity)
        case .ifNil(let first, let second):
            let (first, second) = try pair(first, second, of: entity)
            guard first.type.isComparable(with: second.type), first.type.storage == second.type.storage else {
                throw mismatch("\(first.type) cannot be replaced by \(second.type) where it is nil.", entity)
            }
            return TypedExpression(
                .ifNil(first.expression, second.expression), first.type, isOptional: second.isOptional)
        case .function(let function, let argument):
            return try apply(function, try expression(argument, of: entity), entity)
        case .aggregate(let function, let inner, let relationship?, let condition, let isDistinct):
            return try aggregate(function, inner, relationship, condition, isDistinct, of: entity)
        case .aggregate(let function, let value, nil, _, _):
            throw try misplaced(function, of: value, entity)
        case .rank(let search): return try rank(search, of: entity)
        case .invalid(let code, let message, let attribute):
            throw GranaryError(
                code, message, entity: self.entity(entity).name, attributes: attribute.map { [$0] } ?? [])
        }
    }

    /// The error about an aggregate of single records.
    private func misplaced(
        _ function: AggregateFunction, of value: AnyExpression.Node?, _ entity: Int
    ) throws -> GranaryError {
        var message =
            "A condition or an order is of one record, and an aggregate is of several. Aggregates are of groups, of a relationship, or of all records, with `select` and `aggregate`."
        var attributes: [String] = []
        if let value {
            if case .attribute(let name) = value { attributes = [name] }
            if function == .count, try expression(value, of: entity).type == .string {
                message += " For the length of a text write `length`."
            }
        }
        return GranaryError(.invalidQuery, message, entity: self.entity(entity).name, attributes: attributes)
    }

    /// A column of a row. It may also be an external attribute, which can be read but not computed with.
    func column(_ node: AnyExpression.Node, of entity: Int) throws -> TypedExpression {
        guard case .attribute(let name) = node else { return try expression(node, of: entity) }
        return expression(try path(name, from: entity))
    }

    /// Refuses an external attribute: a query can only test whether it is nil, because its content is not in the row.
    func refuseExternal(_ path: Path) throws {
        guard schema.entities[path.entity].attributes[path.position].isExternal else { return }
        let owner = entity(path.entity)
        let name = owner.attributes[path.position].name
        throw GranaryError(
            .invalidQuery,
            "\(owner.name).\(name) is external: a query can ask whether it is nil, and choose it as a column, but not compare, order, group or compute by its content. Keep its size or a hash of it in an attribute, and ask of that.",
            entity: owner.name, attributes: [name])
    }

    private func expression(_ path: Path) -> TypedExpression {
        through(path.references, attribute(path.position, of: path.entity))
    }

    private func through(_ references: [Path.Reference], _ end: TypedExpression) -> TypedExpression {
        var result = end
        for reference in references.reversed() {
            result.expression = .toOne(
                position: reference.position, entity: reference.entity, result.expression)
            result.isOptional = result.isOptional || reference.isOptional || !reference.isEnforced
        }
        return result
    }

    private func arithmetic(
        _ operation: ArithmeticOperator, _ left: AnyExpression.Node, _ right: AnyExpression.Node, of entity: Int
    ) throws -> TypedExpression {
        let (first, second) = try operands(operation, left, right, of: entity)
        func result(_ type: AttributeType, _ kind: NumberKind) -> TypedExpression {
            func operand(_ side: TypedExpression) -> ResolvedExpression {
                kind == .real && side.type.storage == .integer ? .function(.real, side.expression) : side.expression
            }
            return TypedExpression(
                .arithmetic(operation, operand(first), operand(second), kind), type,
                isOptional: first.isOptional || second.isOptional)
        }
        switch (first.type, second.type) {
        case (let a, let b) where a.isPlainInteger && b.isPlainInteger: return result(.int64, .integer)
        // Other computations with Floats give a double, but a Float with its sign changed is a Float.
        case (.float, .float) where operation == .subtract && first.expression == .value(.real(0)):
            return result(.float, .real)
        case (let a, let b) where a.isPlainNumber && b.isPlainNumber: return result(.double, .real)
        case (.scaledDecimal(let a), .scaledDecimal(let b))
        where a == b && (operation == .add || operation == .subtract):
            return result(first.type, .integer)
        case (.scaledDecimal, let b) where b.isPlainInteger && operation == .multiply:
            return result(first.type, .integer)
        case (let a, .scaledDecimal) where a.isPlainInteger && operation == .multiply:
            return result(second.type, .integer)
        case (let a, let b) where a.isExactNumber && b.isExactNumber:
            return TypedExpression(
                .arithmetic(operation, first.asDecimal.expression, second.asDecimal.expression, .decimal), .decimal,
                isOptional: first.isOptional || second.isOptional)
        case (.date, .date) where operation == .subtract: return result(.double, .real)
        case (.date, let b) where b.isPlainNumber && (operation == .add || operation == .subtract):
            return result(.date, .real)
        default:
            throw mismatch("\(first.type) \(operation.rawValue) \(second.type) is not a number.", entity)
        }
    }

    /// A value takes the type of the operand beside it, with two exceptions: a scaled decimal is multiplied and divided by
    /// a number with any places, and a number beside a date is in seconds.
    private func operands(
        _ operation: ArithmeticOperator, _ left: AnyExpression.Node, _ right: AnyExpression.Node, of entity: Int
    ) throws -> (TypedExpression, TypedExpression) {
        if left.isConstant != right.isConstant {
            // Each side is resolved once: sides may be nested deeply.
            let other = try expression(left.isConstant ? right : left, of: entity)
            let constant = left.isConstant ? left : right
            let isFactor = operation != .add && operation != .subtract && other.type.isScaled
            let type =
                isFactor
                ? constant.factorType
                : other.type == .date && constant.isNumber
                    ? nil
                    : constantType(beside: left.isConstant ? right : left, other, entity)
            let value = try expression(constant, of: entity, expecting: type)
            return left.isConstant ? (value, other) : (other, value)
        }
        let pair = try pair(left, right, of: entity)
        if pair.0.type == .date, right.isNumber { return (pair.0, try expression(right, of: entity)) }
        if pair.1.type == .date, left.isNumber { return (try expression(left, of: entity), pair.1) }
        return pair
    }

    private func apply(_ function: AnyExpression.Function, _ argument: TypedExpression, _ entity: Int) throws
        -> TypedExpression
    {
        let inner = argument.expression
        func result(_ expression: ResolvedExpression, _ type: AttributeType, isOptional: Bool? = nil)
            -> TypedExpression
        {
            TypedExpression(expression, type, isOptional: isOptional ?? argument.isOptional)
        }
        switch function {
        case .date(let component, let offset) where argument.type == .date:
            return result(.function(.date(component, offset: offset), inner), .int64, isOptional: true)
        case .folded(let folding) where argument.type.storage == .text:
            return result(folding.isEmpty ? inner : .function(.folded(folding), inner), .string)
        case .length where argument.type.storage == .text || argument.type == .data:
            return result(.function(.length, inner), .int64)
        case .json(let path, let type) where argument.type == .json:
            let kind = JSONScalarKind.allCases.first { $0.type == type }
            guard let kind else {
                throw mismatch("A value inside JSON is a Bool, an integer, a Double or a String, not \(type).", entity)
            }
            return result(.function(.json(path, kind), inner), type, isOptional: true)
        case .real where argument.type.isPlainInteger: return result(.function(.real, inner), .double)
        case .real where argument.type.isPlainNumber: return argument
        case .decimal where argument.type.isExactNumber: return argument.asDecimal
        case .absolute where argument.type.isPlainNumber || argument.type.isScaled || argument.type == .decimal:
            let kind = NumberKind(argument.type) ?? .integer
            return result(.function(.absolute(kind), inner), argument.type.isPlainInteger ? .int64 : argument.type)
        default: throw mismatch("\(function.name) is not defined for \(argument.type).", entity)
        }
    }

    private func aggregate(
        _ function: AggregateFunction, _ inner: AnyExpression.Node?, _ name: String, _ condition: AnyCondition.Node?,
        _ isDistinct: Bool, of entity: Int
    ) throws -> TypedExpression {
        let (references, _, relationship) = try relationship(name, from: entity)
        let target = try target(of: relationship)
        let value = try inner.map { try expression($0, of: target.entity) }
        let type = try resultType(function, of: value, target.entity)
        let resolved = try target.condition(try condition.map { try self.condition($0, of: target.entity) })
        let aggregate = RelatedAggregate(
            function, entity: target.source, position: target.position,
            condition: resolved == .always(true) ? nil : resolved, expression: value.map(target.expression),
            isDistinct: isDistinct)
        let isOptional = function != .count && function != .sum
        var result = through(references, TypedExpression(.aggregate(aggregate), type, isOptional: isOptional))
        // If the record does not exist, it has no related records, and their sum is 0.
        if !references.isEmpty && !isOptional {
            result = TypedExpression(
                .ifNil(result.expression, .value(type.zero)), type, isOptional: false)
        }
        return result
    }

    /// The type of an aggregate's result.
    ///
    /// - Throws: `typeMismatch` if it is not defined, `invalidQuery` if a required expression is missing.
    func resultType(_ function: AggregateFunction, of value: TypedExpression?, _ entity: Int) throws -> AttributeType {
        if function == .count { return .int64 }
        guard let value else {
            throw GranaryError(
                .invalidQuery, "Only `count` is asked without an attribute.", entity: self.entity(entity).name)
        }
        guard let type = function.resultType(of: value.type) else {
            throw mismatch("The \(function.rawValue) of \(value.type) is not defined.", entity)
        }
        return type
    }

    /// The effective terms of an order. Of equal ranks the first key is the better one. An order by nil has no effect; as the last term it gives its direction to ties,
    /// which are broken by key.
    func orderTerms(_ order: [Ordering], of entity: Int) throws -> [FetchRequest.OrderTerm] {
        let all = try order.effective.map { try orderTerm($0, of: entity) }
        if let last = all.last, case .words = last.value.expression {
            let key = attribute(self.entity(entity).keyPosition, of: entity)
            return all + [FetchRequest.OrderTerm(key, isDescending: !last.isDescending)]
        }
        guard let last = all.last, all.contains(where: \.isByNothing) else { return all }
        let terms = all.filter { !$0.isByNothing }
        guard last.isByNothing else { return terms }
        let key = attribute(self.entity(entity).keyPosition, of: entity)
        return terms + [FetchRequest.OrderTerm(key, isDescending: last.isDescending)]
    }

    package func orderTerm(_ ordering: Ordering, of entity: Int) throws -> FetchRequest.OrderTerm {
        FetchRequest.OrderTerm(
            try expression(ordering.expression, of: entity), isDescending: ordering.direction == .descending,
            nilsFirst: ordering.nils.map { $0 == .first })
    }
}

extension FetchRequest.OrderTerm {
    fileprivate var isByNothing: Bool { if case .value(.null) = value.expression { true } else { false } }
}

extension StoredValue {
    /// The type of a value if nothing else decides it.
    var naturalType: AttributeType {
        switch self {
        case .null, .integer: .int64
        case .real: .double
        case .text: .string
        case .bytes: .data
        }
    }
}

extension AnyExpression.Node {
    /// The type of a constant that multiplies or divides a scaled decimal. Nil if this is not a constant.
    fileprivate var factorType: AttributeType? {
        switch self {
        case .literal(.number(let text)): Int64(text) == nil ? .decimal : .int64
        case .literal, .value(.integer), .value(.null): .int64
        case .value: .decimal
        default: nil
        }
    }

    /// Whether it is a number, and not a date.
    fileprivate var isNumber: Bool {
        switch self {
        case .literal(.number), .value(.integer), .value(.real): true
        default: false
        }
    }
}

extension TypedExpression {
    /// The same number as a decimal, of an expression of an exact number.
    var asDecimal: TypedExpression {
        switch type {
        case .scaledDecimal(let places):
            TypedExpression(.function(.decimal(places: places), expression), .decimal, isOptional: isOptional)
        case .decimal: self
        default: TypedExpression(.function(.decimal(places: 0), expression), .decimal, isOptional: isOptional)
        }
    }
}

extension AttributeType {
    func accepts(_ value: StoredValue) -> Bool { value == .null || value.kind == storage }

    /// The sum without values.
    var zero: StoredValue {
        switch storage {
        case .integer: .integer(0)
        case .real: .real(0)
        case .text: .text([])
        // The decimal 0; see DecimalEncoding.
        case .bytes: .bytes([0x80])
        case .null: .null
        }
    }
}
