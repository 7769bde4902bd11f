import ConformanceKit
package import GranaryCore

extension QueryMaker {
    package mutating func constant(_ kind: Kind) -> StoredValue {
        switch kind {
        case .integer: .integer(choices.one(of: ShopData.integers))
        case .text: choices.one(of: ShopData.texts)
        case .double: .real(choices.one(of: ShopData.doubles))
        case .date: .real(choices.one(of: ShopData.dates))
        case .decimal: choices.one(of: ShopData.decimals)
        case .cents: .integer(choices.one(of: ShopData.cents))
        case .bool: .integer(Int64(choices.below(2)))
        }
    }

    /// An attribute, short paths first.
    private mutating func attribute(_ entity: String, _ kind: Kind) -> AnyExpression {
        .attribute(choices.one(of: paths(entity, kind)))
    }

    /// An attribute, or one and a constant.
    package mutating func leaf(_ entity: String, _ kind: Kind) -> AnyExpression {
        let attribute = attribute(entity, kind)
        switch (kind, choices.below(4)) {
        case (.integer, 2), (.decimal, 2), (.cents, 2), (.double, 2):
            return .arithmetic(attribute, choices.one(of: [.add, .subtract]), .value(constant(kind)))
        case (.date, 2): return .arithmetic(attribute, .add, .value(constant(.integer)))
        case (_, 3): return .ifNil(attribute, .value(constant(kind)))
        default: return attribute
        }
    }

    package mutating func expression(_ entity: String, _ kind: Kind, depth: Int) -> AnyExpression {
        guard depth > 0 else { return leaf(entity, kind) }
        switch choices.below(8) {
        case 0, 1, 2: return leaf(entity, kind)
        case 3, 4: return computed(entity, kind, depth: depth - 1)
        case 5: return .ifNil(leaf(entity, kind), expression(entity, kind, depth: depth - 1))
        default: return aggregated(entity, kind, depth: depth - 1) ?? leaf(entity, kind)
        }
    }

    private mutating func computed(_ entity: String, _ kind: Kind, depth: Int) -> AnyExpression {
        let inner = leaf(entity, kind)
        switch kind {
        case .integer:
            switch choices.below(8) {
            case 0: return .function(.length, expression(entity, .text, depth: depth))
            case 1: return .arithmetic(inner, .multiply, .value(.integer(choices.one(of: [2, 0, -1, 3]))))
            case 2:
                let divisor = AnyExpression.value(.integer(choices.one(of: [2, 3, -2, 7])))
                return .arithmetic(inner, choices.one(of: [.divide, .remainder]), divisor)
            case 3: return json(entity, .int64, depth) ?? inner
            case 4: return dateComponent(entity, depth) ?? inner
            case 5: return .negated(expression(entity, .integer, depth: depth))
            case 6: return .function(.absolute, expression(entity, .integer, depth: depth))
            default: return .arithmetic(inner, .add, expression(entity, .integer, depth: depth))
            }
        case .double:
            switch choices.below(6) {
            case 0: return .function(.real, leaf(entity, .integer))
            case 1: return json(entity, .double, depth) ?? inner
            case 2:
                return .arithmetic(inner, choices.one(of: [.add, .multiply, .subtract]), leaf(entity, .integer))
            case 3: return .negated(expression(entity, .double, depth: depth))
            case 4: return .function(.absolute, expression(entity, .double, depth: depth))
            default: return .arithmetic(inner, .divide, .value(.real(choices.one(of: [2, 3, -0.5]))))
            }
        case .text:
            if choices.chance(30), let text = json(entity, .string, depth) { return text }
            return .function(.folded(folding()), inner)
        case .date:
            let seconds = choices.one(of: [.integer(1), .integer(86_400), .real(0.5), .real(-3600)] as [StoredValue])
            return .arithmetic(inner, choices.one(of: [.subtract, .add]), .value(seconds))
        case .decimal:
            if choices.chance(30) { return choices.chance(50) ? .negated(inner) : .function(.absolute, inner) }
            if choices.chance(30) { return exact(entity) ?? inner }
            return .arithmetic(attribute(entity, kind), .multiply, .value(choices.one(of: ShopData.decimals)))
        case .cents:
            if choices.chance(30) { return choices.chance(50) ? .negated(inner) : .function(.absolute, inner) }
            return .arithmetic(attribute(entity, kind), choices.one(of: [.add, .subtract]), attribute(entity, kind))
        case .bool: return json(entity, .bool, depth) ?? inner
        }
    }

    /// Numbers of two kinds, of which the result is a decimal.
    private mutating func exact(_ entity: String) -> AnyExpression? {
        func operand(_ maker: inout QueryMaker, _ kinds: [Kind]) -> AnyExpression? {
            let kinds = kinds.filter { !maker.paths(entity, $0).isEmpty }
            guard !kinds.isEmpty else { return nil }
            let kind = maker.choices.one(of: kinds)
            let attribute = maker.attribute(entity, kind)
            return kind == .decimal ? attribute : .function(.decimal, attribute)
        }
        guard let left = operand(&self, [.cents, .decimal, .integer]) else { return nil }
        guard choices.chance(70), let right = operand(&self, [.decimal, .cents, .integer]) else { return left }
        return .arithmetic(left, choices.one(of: [.add, .subtract, .multiply]), right)
    }

    package mutating func folding() -> TextFolding {
        choices.one(of: [[.caseInsensitive], [.diacriticInsensitive], [.caseInsensitive, .diacriticInsensitive]])
    }

    private mutating func json(_ entity: String, _ type: AttributeType, _ depth: Int) -> AnyExpression? {
        let paths = jsonPaths(entity)
        let wanted = ["tempo", "gain", "isLoud", "mood", "tags[0]", "tags", "none.at[1]"]
        guard !paths.isEmpty, let path = try? JSONPath(choices.one(of: wanted)) else { return nil }
        return .function(.json(path, type), .attribute(choices.one(of: paths)))
    }

    private mutating func dateComponent(_ entity: String, _ depth: Int) -> AnyExpression? {
        guard !paths(entity, .date).isEmpty else { return nil }
        let part = choices.one(of: DateComponent.allCases)
        return .function(
            .date(part, offset: choices.one(of: [0, 3600, -18_000])), expression(entity, .date, depth: depth))
    }

    /// An aggregate of a relationship, if there is one that gives the kind.
    private mutating func aggregated(_ entity: String, _ kind: Kind, depth: Int) -> AnyExpression? {
        let relationships = relationships(entity)
        guard !relationships.isEmpty else { return nil }
        let (path, target) = choices.one(of: relationships)
        let condition = choices.chance(40) ? self.condition(target, depth: depth) : nil
        func make(_ function: AggregateFunction, _ inner: AnyExpression?, _ isDistinct: Bool = false) -> AnyExpression {
            .aggregate(function, of: inner, over: path, where: condition, isDistinct: isDistinct)
        }
        if kind == .integer && choices.chance(50) {
            guard choices.chance(50) else { return make(.count, nil) }
            return make(.count, leafOrDeeper(target, self.kind(target)), choices.chance(50))
        }
        if kind == .double && choices.chance(50) {
            return make(.average, expression(target, .integer, depth: depth), choices.chance(25))
        }
        guard !paths(target, kind).isEmpty else { return nil }
        var functions: [AggregateFunction] = [.minimum, .maximum]
        if [.integer, .double, .decimal, .cents].contains(kind) { functions.insert(.sum, at: 0) }
        let inner = kind == .decimal ? leaf(target, kind) : expression(target, kind, depth: depth)
        return make(choices.one(of: functions), inner, choices.chance(25))
    }
}
