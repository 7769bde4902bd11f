// Negation is pushed down to the terms here, once, so that no store needs to know three-valued logic: `!(a < 5)` is
// `a >= 5 || a == nil`, two searches of an index, where SQL's `NOT (a < 5)` would scan and leave nils out.

extension ResolvedCondition {
    init(_ condition: AnyCondition, for entity: Entity) throws {
        self = try ResolvedCondition.resolve(condition.root, negated: false, entity)
    }

    // The depth is bounded by AnyCondition.maximumDepth.
    private static func resolve(_ node: AnyCondition.Node, negated: Bool, _ entity: Entity) throws -> ResolvedCondition
    {
        switch node {
        case .always(let value): return .always(value != negated)
        case .not(let inner): return try resolve(inner, negated: !negated, entity)
        case .all(let nodes): return try group(nodes, isAll: !negated, negated: negated, entity)
        case .any(let nodes): return try group(nodes, isAll: negated, negated: negated, entity)
        case .invalid(let code, let message, let attribute):
            throw GranaryError(code, message, entity: entity.name, attributes: attribute.map { [$0] } ?? [])
        case .among(let name, let values):
            let position = try entity.position(ofAttribute: name)
            let attribute = entity.attributes[position]
            let exact = try values.compactMap { try attribute.exactValue(of: $0, in: entity) }
            let sorted = Set(exact).sorted()
            if sorted.isEmpty { return .always(negated) }
            return negated ? .notAmong(position: position, sorted) : .among(position: position, sorted)
        case .compare(let name, let comparison, let value):
            let position = try entity.position(ofAttribute: name)
            let attribute = entity.attributes[position]
            return try comparing(position, attribute, comparison, value, negated: negated, entity)
        }
    }

    private static func group(
        _ nodes: [AnyCondition.Node], isAll: Bool, negated: Bool, _ entity: Entity
    ) throws -> ResolvedCondition {
        var parts: [ResolvedCondition] = []
        for node in nodes {
            let part = try resolve(node, negated: negated, entity)
            switch part {
            case .always(let value):
                // A constant that decides ends it, the other says nothing. The rest is still checked.
                if value != isAll {
                    for other in nodes { _ = try resolve(other, negated: negated, entity) }
                    return .always(value)
                }
            case .all(let inner) where isAll: parts += inner
            case .any(let inner) where !isAll: parts += inner
            default: parts.append(part)
            }
        }
        if parts.isEmpty { return .always(isAll) }
        if parts.count == 1 { return parts[0] }
        return isAll ? .all(parts) : .any(parts)
    }

    private static func comparing(
        _ position: Int, _ attribute: Attribute, _ comparison: Comparison, _ value: StoredValue, negated: Bool,
        _ entity: Entity
    ) throws -> ResolvedCondition {
        func term(_ comparison: Comparison, _ value: StoredValue) -> ResolvedCondition {
            .compare(position: position, comparison, value)
        }
        if value == .null {
            switch (comparison, negated) {
            case (.equal, false), (.notEqual, true): return attribute.isOptional ? term(.equal, .null) : .always(false)
            case (.notEqual, false), (.equal, true):
                return attribute.isOptional ? term(.notEqual, .null) : .always(true)
            default: return .always(negated)
            }
        }
        let wanted = negated ? comparison.complement : comparison
        var result: ResolvedCondition
        switch try attribute.exactBound(comparison: wanted, of: value, in: entity) {
        case .constant(let holds): result = .always(holds)
        case .bound(let comparison, let value): result = term(comparison, value)
        }
        // Of nil, only != holds; the complement of an order holds of nil too.
        let holdsOfNil = wanted == .notEqual || (negated && comparison != .equal && comparison != .notEqual)
        if attribute.isOptional, case .always(let holds) = result {
            result = holds == holdsOfNil ? result : term(holds ? .notEqual : .equal, .null)
        } else if attribute.isOptional && holdsOfNil && wanted != .notEqual {
            result = .any([result, term(.equal, .null)])
        }
        return result
    }
}

/// What a comparison becomes when its value is brought to the attribute's storage class.
enum ExactBound {
    case bound(Comparison, StoredValue)
    /// Holds, or not, of every value but nil.
    case constant(Bool)
}

extension Attribute {
    /// The value in the attribute's storage class, or nil if no value of the attribute equals it.
    func exactValue(of value: StoredValue, in entity: Entity) throws -> StoredValue? {
        if value == .null { return isOptional ? .null : nil }
        guard case .bound(.equal, let exact) = try exactBound(comparison: .equal, of: value, in: entity) else {
            return nil
        }
        return exact
    }

    /// Integers and doubles compare exactly: `x > 2.5` on an integer is `x >= 3`, and 2^53 + 1 is not 2^53.
    func exactBound(comparison: Comparison, of value: StoredValue, in entity: Entity) throws -> ExactBound {
        if case .real(let real) = value, real.isNaN {
            throw CellError.notANumber().about(entity.name, name)
        }
        switch (type.storage, value) {
        case (.integer, .integer), (.real, .real), (.text, .text), (.bytes, .bytes): return .bound(comparison, value)
        case (.integer, .real(let real)):
            guard type != .bool, !type.isScaled else { break }
            if let exact = Int64(exactly: real) { return .bound(comparison, .integer(exact)) }
            switch comparison {
            case .equal: return .constant(false)
            case .notEqual: return .constant(true)
            case .less, .lessOrEqual:
                if real >= 0x1p63 { return .constant(true) }
                if real < -0x1p63 { return .constant(false) }
                return .bound(.lessOrEqual, .integer(Int64(real.rounded(.down))))
            case .greater, .greaterOrEqual:
                if real >= 0x1p63 { return .constant(false) }
                if real < -0x1p63 { return .constant(true) }
                return .bound(.greaterOrEqual, .integer(Int64(real.rounded(.up))))
            }
        case (.real, .integer(let integer)):
            guard type != .date else { break }
            if let exact = Double(exactly: integer) { return .bound(comparison, .real(exact)) }
            // The double next to the integer on either side; none lies between them.
            let near = Double(integer)
            let below = compareExactly(integer, near) < 0 ? near.nextDown : near
            switch comparison {
            case .equal: return .constant(false)
            case .notEqual: return .constant(true)
            case .less, .lessOrEqual: return .bound(.lessOrEqual, .real(below))
            case .greater, .greaterOrEqual: return .bound(.greaterOrEqual, .real(below.nextUp))
            }
        default: break
        }
        throw GranaryError(
            .typeMismatch, "A condition compares \(type) with a value of kind \(value.kind).", entity: entity.name,
            attributes: [name])
    }
}

extension AttributeType {
    var isScaled: Bool { if case .scaledDecimal = self { true } else { false } }
}

extension GranaryError {
    /// The same error with the entity and the attribute it is about.
    package func about(_ entity: String, _ attribute: String) -> GranaryError {
        var error = self
        error.entity = entity
        error.attributes = [attribute]
        return error
    }
}
