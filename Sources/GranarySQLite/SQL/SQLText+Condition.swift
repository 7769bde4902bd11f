import GranaryStoreKit

// SQLite's parser has a stack of 100 entries, of which a parenthesis takes one if it begins an expression and three if
// it follows an operator, and an expression may be 1 000 deep. A condition may be nested 100 deep and have 10 000
// terms. So:
// - AND binds more tightly than OR: only OR inside AND needs parentheses;
// - the part that needs most of the stack is written first in its group, where a parenthesis takes one entry;
// - long groups are broken into groups of at most 50, in parentheses, so that the depth grows with the logarithm.
//
// A part that is not the first needs no more of the stack than the first. If it needs as much, it has at least as many
// terms as the first. So each further nesting halves the number of terms.

extension SQLText {
    private static let longestRun = 50
    /// Terms that need more of the parser's stack are written without a guard: SQLite tests them in any order.
    private static let mostGuarded = 55

    mutating func write(_ condition: ResolvedCondition, _ scope: SQLScope) {
        switch condition {
        case .always(let holds): text += holds ? "1" : "0"
        case .compare(let position, let comparison, let value):
            compare(scope.column(position), comparison, value, scope.table.entity.attributes[position].isOptional)
        case .among(let position, let values): list(scope.column(position), values)
        case .notAmong(let position, let values):
            notList(scope.column(position), values, scope.table.entity.attributes[position].isOptional)
        case .relation(let left, let comparison, let right, let isNegated):
            relation(left, comparison, right, isNegated, scope)
        case .listed(let expression, let values, let isNegated): listed(expression, values, isNegated, scope)
        case .text(let expression, let match, let isNegated): matches(expression, match, isNegated, scope)
        case .amongRows(let expression, let request, let isNegated): among(expression, request, isNegated, scope)
        case .toOne(let position, let entity, let inner, let isNegated):
            related(position, to: entity, by: tables[entity].keyPosition, inner, isNegated, scope)
        case .toMany(let entity, let position, let inner, let isNegated):
            related(scope.table.keyPosition, to: entity, by: position, inner, isNegated, scope)
        case .all(let parts): group(parts, " AND ", scope)
        case .any(let parts): group(parts, " OR ", scope)
        }
    }

    private mutating func group(_ parts: [ResolvedCondition], _ join: String, _ scope: SQLScope) {
        let isAll = join == " AND "
        let failing = parts.filter(\.mayFail)
        guard let last = failing.last, parts.count > 1, parts.allSatisfy({ $0.stackNeed <= SQLText.mostGuarded })
        else { return unguarded(parts, join, scope) }
        // SQLite tests the terms of `AND` and `OR` in an order of its own, and those of `CASE` in the written order.
        // Terms that cannot fail are also written separately, so that an index can answer them.
        let safe = parts.filter { !$0.mayFail }
        if isAll, !safe.isEmpty {
            let before = self
            unguarded(safe, join, scope)
            text += join
            // These parameters occur twice in the statement, whose number of parameters is limited.
            if parameters.count - before.parameters.count > bounds.parameters / 4 { self = before }
        }
        text += "CASE"
        if !safe.isEmpty { when(isAll) { $0.unguarded(safe, join, scope) } }
        for part in failing.dropLast() { when(isAll) { $0.write(part, scope) } }
        text += " ELSE "
        parenthesized { $0.write(last, scope) }
        text += " END"
    }

    /// A branch of `CASE` for a term that decides the group.
    private mutating func when(_ isAll: Bool, _ term: (inout SQLText) -> Void) {
        text += " WHEN "
        parenthesized(term)
        text += isAll ? " IS NOT TRUE THEN 0" : " THEN 1"
    }

    private mutating func unguarded(_ parts: [ResolvedCondition], _ join: String, _ scope: SQLScope) {
        var deepest: Int?
        var need = 0
        for (index, part) in parts.enumerated() where part.isGroup {
            let partNeed = part.stackNeed
            if partNeed > need { (deepest, need) = (index, partNeed) }
        }
        guard let deepest else { return run(parts[...], join, scope) }
        part(parts[deepest], of: join, scope)
        let others = parts[..<deepest] + parts[(deepest + 1)...]
        guard !others.isEmpty else { return }
        text += join
        if others.count <= 3 {
            run(others, join, scope)
        } else {
            parenthesized { $0.run(others, join, scope) }
        }
    }

    /// Parts joined directly, or in nested groups if there are many.
    private mutating func run(_ parts: ArraySlice<ResolvedCondition>, _ join: String, _ scope: SQLScope) {
        if parts.count <= SQLText.longestRun {
            for index in parts.indices {
                if index != parts.startIndex { text += join }
                part(parts[index], of: join, scope)
            }
            return
        }
        let size = (parts.count + SQLText.longestRun - 1) / SQLText.longestRun
        var start = parts.startIndex
        while start < parts.endIndex {
            let end = min(start + size, parts.endIndex)
            if start != parts.startIndex { text += join }
            parenthesized { $0.run(parts[start..<end], join, scope) }
            start = end
        }
    }

    private mutating func part(_ part: ResolvedCondition, of join: String, _ scope: SQLScope) {
        if case .any = part, join == " AND " {
            parenthesized { $0.write(part, scope) }
        } else {
            write(part, scope)
        }
    }

    mutating func parenthesized(_ body: (inout SQLText) -> Void) {
        text += "("
        open += 1
        body(&self)
        open -= 1
        text += ")"
    }
}

extension ResolvedCondition {
    fileprivate var isGroup: Bool {
        switch self {
        case .all, .any: true
        default: false
        }
    }

    /// About how many entries of the parser's stack the condition takes.
    var stackNeed: Int {
        switch self {
        case .always, .compare: return 3
        case .among, .notAmong: return 8
        case .relation, .listed, .text, .amongRows: return 20
        case .toOne(_, _, let inner, _), .toMany(_, _, let inner, _):
            let need = inner.stackNeed
            return need > SQLText.mostInline(inner) ? 12 : 12 + need
        case .all(let parts), .any(let parts):
            var (first, second) = (0, 0)
            for part in parts {
                let need = part.stackNeed
                if need > first { (first, second) = (need, first) } else if need > second { second = need }
            }
            if parts.contains(where: \.mayFail) { return first + 10 }
            return max(first + 1, second + (parts.count > 3 ? 6 : 3))
        }
    }
}
