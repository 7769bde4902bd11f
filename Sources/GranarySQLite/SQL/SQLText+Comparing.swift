import GranaryStoreKit

// Comparisons of an attribute with values.

extension SQLText {
    mutating func compare(_ name: String, _ comparison: Comparison, _ value: StoredValue, _ isOptional: Bool) {
        if value == .null {
            // `<`, `<=`, `>` and `>=` are never passed nil here; with nil they are false.
            switch comparison {
            case .equal: text += "\(name) IS NULL"
            case .notEqual: text += "\(name) IS NOT NULL"
            default: text += "0"
            }
            return
        }
        text += name
        switch comparison {
        case .equal: text += " = "
        // The only comparison that is true for nil.
        case .notEqual: text += isOptional ? " IS NOT " : " <> "
        case .less: text += " < "
        case .lessOrEqual: text += " <= "
        case .greater: text += " > "
        case .greaterOrEqual: text += " >= "
        }
        bind(value)
    }

    mutating func list(_ name: String, _ values: [StoredValue]) {
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

    mutating func notList(_ name: String, _ values: [StoredValue], _ isOptional: Bool) {
        let some = values.first == .null ? values.dropFirst() : values[...]
        switch (some.isEmpty, some.count < values.count) {
        case (true, let hasNil): text += hasNil ? "\(name) IS NOT NULL" : "1"
        // NOT IN is not true for nil.
        case (false, true): listed(name, "NOT IN", some)
        case (false, false):
            if isOptional { text += "(\(name) IS NULL OR " }
            listed(name, "NOT IN", some)
            if isOptional { text += ")" }
        }
    }

    mutating func listed(_ name: String, _ word: String, _ values: ArraySlice<StoredValue>) {
        // Further terms may follow: one parameter is reserved for each of the greatest possible number of terms.
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
