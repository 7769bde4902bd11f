import GranaryStoreKit

/// An attribute in the form of a key or an index: unchanged, or folded.
struct SearchComponent: Hashable {
    var position: Int
    var folding: TextFolding = []
}

/// One condition on one component, in a form that a range of keys can answer.
enum SearchTerm {
    case equal(StoredValue)
    /// Ascending, each once.
    case among([StoredValue])
    case bound(Comparison, StoredValue)
    case notNull
    /// Text that begins with these bytes. If `isWhole` is false, the condition asks for more than that.
    case prefix([UInt8], isWhole: Bool)
}

extension Table {
    /// The search term of a condition, if a key can be made from it.
    func searchTerm(_ condition: ResolvedCondition) -> (SearchComponent, SearchTerm)? {
        switch condition {
        case .compare(let position, let comparison, let value):
            return compared(SearchComponent(position: position), comparison, value)
        case .among(let position, let values): return listed(SearchComponent(position: position), values)
        case .relation(let left, let comparison, .value(let value), isNegated: false):
            return component(left).flatMap { compared($0, comparison, value) }
        case .relation(.value(let value), let comparison, let right, isNegated: false):
            return component(right).flatMap { compared($0, comparison.mirrored, value) }
        case .listed(let expression, let values, isNegated: false):
            return component(expression).flatMap { listed($0, values) }
        case .text(let expression, let match, isNegated: false): return matched(expression, match)
        default: return nil
        }
    }

    private func compared(
        _ component: SearchComponent, _ comparison: Comparison, _ value: StoredValue
    ) -> (SearchComponent, SearchTerm)? {
        guard accepts(value, at: component.position) else { return nil }
        switch comparison {
        case .equal: return (component, .equal(value))
        case .notEqual: return value == .null ? (component, .notNull) : nil
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return value == .null ? nil : (component, .bound(comparison, value))
        }
    }

    private func listed(_ component: SearchComponent, _ values: [StoredValue]) -> (SearchComponent, SearchTerm)? {
        guard values.allSatisfy({ accepts($0, at: component.position) }) else { return nil }
        return (component, .among(values))
    }

    private func matched(_ expression: ResolvedExpression, _ match: TextMatch) -> (SearchComponent, SearchTerm)? {
        guard var component = component(expression), kinds[component.position] == .text else { return nil }
        if !match.folding.isEmpty {
            // Folding a text that is already folded in the same way changes nothing; folding it in another way does.
            guard component.folding.isEmpty || component.folding == match.folding else { return nil }
            component.folding = match.folding
        }
        switch match.kind {
        case .equal:
            guard let pattern = try? match.folding.folded(match.pattern) else { return nil }
            return (component, .equal(.text(pattern)))
        case .prefix:
            guard let pattern = try? match.folding.folded(match.pattern) else { return nil }
            return (component, pattern.isEmpty ? .notNull : .prefix(pattern, isWhole: true))
        case .like, .matches:
            // A regular expression that begins like this may set another folding.
            if match.kind == .matches && match.pattern.starts(with: "(?".utf8) { return nil }
            guard let literal = try? TextPattern(match).literalPrefix, !literal.isEmpty else { return nil }
            return (component, .prefix(literal, isWhole: false))
        case .contains, .suffix: return nil
        }
    }

    /// The component, if the expression is just a component.
    func component(_ expression: ResolvedExpression) -> SearchComponent? {
        switch expression {
        case .attribute(let position): SearchComponent(position: position)
        case .function(.folded(let folding), .attribute(let position)) where kinds[position] == .text:
            SearchComponent(position: position, folding: folding)
        default: nil
        }
    }

    /// The components of a key or an index, without the row's key at its end.
    func components(_ access: Plan.Access) -> [SearchComponent] {
        switch access {
        case .key: keyComponents
        case .index(let number): indexes[number].components
        }
    }

    /// Whether a key can be made from the value, so that it can be searched for.
    private func accepts(_ value: StoredValue, at position: Int) -> Bool {
        value == .null || value.withCell { kinds[position].accepts($0) }
    }
}
