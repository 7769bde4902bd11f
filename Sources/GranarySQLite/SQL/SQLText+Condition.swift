import GranaryCore

// SQLite's parser has a stack of 100 entries, of which a parenthesis takes one when it begins an expression and three
// when it follows an operator, and an expression may be 1 000 deep. A condition may be nested 100 deep and have 10 000
// terms. So:
// - AND binds more tightly than OR: only OR inside AND needs parentheses;
// - the part that needs most of the stack is written first of its group, where a parenthesis takes one entry;
// - long groups are broken into groups of at most 50, in parentheses, so that the depth grows with the logarithm.
//
// A part that is not first and needs as much as the first has at least as many terms, so that three entries can be
// taken no more often than the number of terms can be halved.

extension SQLText {
    private static let longestRun = 50

    mutating func write(_ condition: ResolvedCondition, _ layout: EntityLayout) {
        switch condition {
        case .always(let holds): text += holds ? "1" : "0"
        case .compare(let position, let comparison, let value):
            compare(layout.sql.names[position], comparison, value, layout.entity.attributes[position].isOptional)
        case .among(let position, let values): list(layout.sql.names[position], values)
        case .notAmong(let position, let values):
            notList(layout.sql.names[position], values, layout.entity.attributes[position].isOptional)
        // Not there yet.
        case .relation, .listed, .text, .amongRows, .toOne, .toMany: text += "0"
        case .all(let parts): group(parts, " AND ", layout)
        case .any(let parts): group(parts, " OR ", layout)
        }
    }

    private mutating func group(_ parts: [ResolvedCondition], _ join: String, _ layout: EntityLayout) {
        var deepest: Int?
        var need = 0
        for (index, part) in parts.enumerated() where part.isGroup {
            let partNeed = part.stackNeed
            if partNeed > need { (deepest, need) = (index, partNeed) }
        }
        guard let deepest else { return run(parts[...], join, layout) }
        part(parts[deepest], of: join, layout)
        let others = parts[..<deepest] + parts[(deepest + 1)...]
        guard !others.isEmpty else { return }
        text += join
        if others.count <= 3 {
            run(others, join, layout)
        } else {
            text += "("
            run(others, join, layout)
            text += ")"
        }
    }

    /// Parts side by side; in groups of groups where there are many.
    private mutating func run(_ parts: ArraySlice<ResolvedCondition>, _ join: String, _ layout: EntityLayout) {
        if parts.count <= SQLText.longestRun {
            for index in parts.indices {
                if index != parts.startIndex { text += join }
                part(parts[index], of: join, layout)
            }
            return
        }
        let size = (parts.count + SQLText.longestRun - 1) / SQLText.longestRun
        var start = parts.startIndex
        while start < parts.endIndex {
            let end = min(start + size, parts.endIndex)
            if start != parts.startIndex { text += join }
            text += "("
            run(parts[start..<end], join, layout)
            text += ")"
            start = end
        }
    }

    private mutating func part(_ part: ResolvedCondition, of join: String, _ layout: EntityLayout) {
        if case .any = part, join == " AND " {
            text += "("
            write(part, layout)
            text += ")"
        } else {
            write(part, layout)
        }
    }

    private mutating func compare(_ name: String, _ comparison: Comparison, _ value: StoredValue, _ isOptional: Bool) {
        if value == .null {
            // Orders are never given with nil, and hold of nothing.
            switch comparison {
            case .equal: text += "\(name) IS NULL"
            case .notEqual: text += "\(name) IS NOT NULL"
            default: text += "0"
            }
            return
        }
        switch comparison {
        case .equal: text += "\(name) = "
        // The one comparison that holds of nil.
        case .notEqual: text += isOptional ? "\(name) IS NOT " : "\(name) <> "
        case .less: text += "\(name) < "
        case .lessOrEqual: text += "\(name) <= "
        case .greater: text += "\(name) > "
        case .greaterOrEqual: text += "\(name) >= "
        }
        bind(value)
    }

    private mutating func list(_ name: String, _ values: [StoredValue]) {
        // Nil is first.
        let some = values.first == .null ? values.dropFirst() : values[...]
        switch (some.isEmpty, some.count < values.count) {
        case (true, let hasNil): text += hasNil ? "\(name) IS NULL" : "0"
        case (false, true):
            text += "(\(name) IS NULL OR "
            listed(name, "IN", some)
            text += ")"
        case (false, false): listed(name, "IN", some)
        }
    }

    private mutating func notList(_ name: String, _ values: [StoredValue], _ isOptional: Bool) {
        let some = values.first == .null ? values.dropFirst() : values[...]
        switch (some.isEmpty, some.count < values.count) {
        case (true, let hasNil): text += hasNil ? "\(name) IS NOT NULL" : "1"
        // NOT IN is not true of nil.
        case (false, true): listed(name, "NOT IN", some)
        case (false, false):
            if isOptional { text += "(\(name) IS NULL OR " }
            listed(name, "NOT IN", some)
            if isOptional { text += ")" }
        }
    }

    private mutating func listed(_ name: String, _ word: String, _ values: ArraySlice<StoredValue>) {
        // Terms of their own may follow: one parameter for each of the most there can be is kept free.
        let room = bounds.parameters - parameters.count - AnyCondition.maximumTerms - 1_000
        if values.count > (room > 8 ? min(bounds.listedValues, room) : 1) {
            text += "\(name) \(word) (SELECT \"value\" FROM temp.\"granary:list\" WHERE \"list\" = ?)"
            parameters.append(.list(lists.count))
            lists.append(Array(values))
            return
        }
        text += "\(name) \(word) ("
        for (index, value) in values.enumerated() {
            if index > 0 { text += ", " }
            bind(value)
        }
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
    fileprivate var stackNeed: Int {
        switch self {
        case .always, .compare: return 3
        case .among, .notAmong: return 8
        case .relation, .listed, .text, .amongRows, .toOne, .toMany: return 20
        case .all(let parts), .any(let parts):
            var (first, second) = (0, 0)
            for part in parts {
                let need = part.stackNeed
                if need > first { (first, second) = (need, first) } else if need > second { second = need }
            }
            return max(first + 1, second + (parts.count > 3 ? 6 : 3))
        }
    }
}
