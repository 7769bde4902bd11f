import ConformanceKit
package import GranaryCore

extension QueryMaker {
    package mutating func condition(_ entity: String, depth: Int) -> AnyCondition {
        guard depth > 0 else { return comparison(entity) }
        switch choices.below(13) {
        case 0, 1: return comparison(entity)
        case 2: return among(entity)
        case 3, 4: return relation(entity, depth: depth - 1)
        case 5: return text(entity, depth: depth - 1)
        case 6, 7: return exists(entity, depth: depth - 1)
        case 8: return listed(entity, depth: depth - 1)
        case 9: return amongRows(entity, depth: depth - 1)
        case 10: return .not(condition(entity, depth: depth - 1))
        default:
            var parts: [AnyCondition] = []
            for _ in 0..<(1 + choices.below(3)) { parts.append(condition(entity, depth: depth - 1)) }
            return choices.chance(50) ? .all(parts) : .any(parts)
        }
    }

    private mutating func constantOrNil(_ kind: Kind) -> StoredValue {
        choices.chance(15) ? .null : constant(kind)
    }

    private mutating func comparison(_ entity: String) -> AnyCondition {
        let kind = kind(entity)
        let path = choices.one(of: paths(entity, kind))
        let comparison = choices.one(of: Comparison.allCases)
        // An integer beside a fraction, and the other way.
        if kind == .integer && choices.chance(10) { return .compare(path, comparison, constant(.double)) }
        if kind == .double && choices.chance(10) { return .compare(path, comparison, constant(.integer)) }
        return .compare(path, comparison, constantOrNil(kind))
    }

    private mutating func among(_ entity: String) -> AnyCondition {
        let kind = kind(entity)
        let path = choices.one(of: paths(entity, kind))
        return .among(path, constants(kind))
    }

    private mutating func constants(_ kind: Kind) -> [StoredValue] {
        var values: [StoredValue] = []
        for _ in 0..<choices.below(4) { values.append(constantOrNil(kind)) }
        return values
    }

    private mutating func relation(_ entity: String, depth: Int) -> AnyCondition {
        let kind = kind(entity)
        let left = expression(entity, kind, depth: depth)
        let comparison = choices.one(of: Comparison.allCases)
        if choices.chance(40) {
            let value = AnyExpression.value(constantOrNil(kind))
            return choices.chance(30) ? .relation(value, comparison, left) : .relation(left, comparison, value)
        }
        var other: Kind = kind == .double ? .integer : kind
        let exact: [Kind] = [.integer, .decimal, .cents]
        if exact.contains(kind), choices.chance(30) {
            other = choices.one(of: exact.filter { !paths(entity, $0).isEmpty })
        }
        return .relation(left, comparison, expression(entity, other, depth: depth))
    }

    private mutating func text(_ entity: String, depth: Int) -> AnyCondition {
        let patterns: [(TextMatch.Kind, [String])] = [
            (.equal, ["a", "strasse", "\u{E9}"]), (.contains, ["a", "", "S", "\u{E9}", "\0"]),
            (.prefix, ["a", "St", "\u{E9}", ""]), (.suffix, ["e", "y", "\u{301}"]),
            (.like, ["a*", "?", "*a*", "\\*", "str*e", "z?y"]), (.matches, ["a.*", ".*s+.*", "[a-c]+", "."]),
        ]
        let (match, texts) = choices.one(of: patterns)
        let folding: TextFolding = choices.chance(60) ? self.folding() : []
        return .text(
            expression(entity, .text, depth: depth), TextMatch(match, choices.one(of: texts), folding))
    }

    private mutating func exists(_ entity: String, depth: Int) -> AnyCondition {
        let relationships = relationships(entity)
        guard !relationships.isEmpty else { return comparison(entity) }
        let (path, target) = choices.one(of: relationships)
        return .exists(path, choices.chance(80) ? condition(target, depth: depth) : nil)
    }

    private mutating func listed(_ entity: String, depth: Int) -> AnyCondition {
        let kind = kind(entity)
        let left = expression(entity, kind, depth: depth)
        var others = constants(kind).map { AnyExpression.value($0) }
        if choices.chance(30) { others.append(leaf(entity, kind)) }
        return .listed(left, others)
    }

    private mutating func amongRows(_ entity: String, depth: Int) -> AnyCondition {
        let other = choices.one(of: ["Song", "Album", "Artist", "Employee", "Playlist_songs"])
        let shared = Kind.allCases.filter { !paths(entity, $0).isEmpty && !paths(other, $0).isEmpty }
        let kind = choices.one(of: shared)
        let left = expression(entity, kind, depth: depth)
        let condition = choices.chance(60) ? self.condition(other, depth: depth) : nil
        let isCut = choices.chance(30)
        let isDistinct = choices.chance(30)
        let column = expression(other, kind, depth: depth)
        // Distinct values are ordered by themselves.
        let order = !isCut ? [] : !isDistinct ? orders(other) : choices.chance(50) ? [self.order(by: column)] : []
        let subquery = AnySubquery(
            other, column: column, condition: condition, order: order, limit: isCut ? choices.below(5) : nil,
            offset: isCut ? choices.below(3) : 0, isDistinct: isDistinct)
        return .amongRows(left, subquery)
    }
}
