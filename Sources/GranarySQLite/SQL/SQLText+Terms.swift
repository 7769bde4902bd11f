import GranaryStoreKit

// Terms about expressions. Each is true exactly where it holds. Elsewhere it may be NULL as well as false, which
// `WHERE`, `AND` and `OR` treat alike. So a negated term that may be NULL is `(...) IS NOT TRUE`.

extension SQLText {
    /// A comparison of two expressions. If both may be nil, equality is `IS`. An integer beside a double gets a `+`,
    /// without which SQLite would search an index for the integer rounded to a double.
    mutating func relation(
        _ left: ResolvedExpression, _ comparison: Comparison, _ right: ResolvedExpression, _ isNegated: Bool,
        _ scope: SQLScope
    ) {
        let (leftMayBeNil, rightMayBeNil) = (scope.mayBeNil(left, tables), scope.mayBeNil(right, tables))
        let isAlike = scope.storage(left, tables) == scope.storage(right, tables) || left.isNull || right.isNull
        var wanted = comparison
        var isGuarded = false
        if isNegated {
            switch comparison {
            case .equal, .notEqual: wanted = comparison.complement
            default:
                isGuarded = leftMayBeNil || rightMayBeNil
                if !isGuarded { wanted = comparison.complement }
            }
        }
        let word =
            switch wanted {
            case .equal: leftMayBeNil && rightMayBeNil ? " IS " : " = "
            case .notEqual: leftMayBeNil || rightMayBeNil ? " IS NOT " : " <> "
            case .less: " < "
            case .lessOrEqual: " <= "
            case .greater: " > "
            case .greaterOrEqual: " >= "
            }
        unless(isGuarded) { sql in
            if !isAlike { sql.text += "+" }
            sql.write(left, scope)
            sql.text += word
            if !isAlike { sql.text += "+" }
            sql.write(right, scope)
        }
    }

    /// Whether an expression equals one of some values. Nil comes first among them.
    mutating func listed(
        _ expression: ResolvedExpression, _ values: [StoredValue], _ isNegated: Bool, _ scope: SQLScope
    ) {
        let hasNil = values.first == .null
        let some = hasNil ? values.dropFirst() : values[...]
        guard !some.isEmpty else {
            guard hasNil else { return text += isNegated ? "1" : "0" }
            write(expression, scope)
            text += isNegated ? " IS NOT NULL" : " IS NULL"
            return
        }
        let mayBeNil = scope.mayBeNil(expression, tables)
        switch (hasNil && mayBeNil, isNegated) {
        case (true, false):
            // For nil the list is NULL.
            text += "coalesce("
            write(expression, scope)
            listed("", "IN", some)
            text += ", 1)"
        case (true, true):
            write(expression, scope)
            listed("", "NOT IN", some)
        case (false, let isNegated):
            unless(isNegated && mayBeNil) { sql in
                sql.write(expression, scope)
                sql.listed("", isNegated && !mayBeNil ? "NOT IN" : "IN", some)
            }
        }
    }

    /// Whether an expression is among the values of a query. Nil is among them if one of them is nil.
    mutating func among(
        _ expression: ResolvedExpression, _ request: FetchRequest, _ isNegated: Bool, _ scope: SQLScope
    ) {
        guard let column = request.columns?.first else { return text += isNegated ? "1" : "0" }
        let table = tables[request.entity]
        let isAlike =
            scope.storage(expression, tables) == SQLScope(table).storage(column.expression, tables)
        let mayBeNil = scope.mayBeNil(expression, tables)
        let columnMayBeNil = SQLScope(table).mayBeNil(column.expression, tables)
        let need = (request.condition?.stackNeed ?? 0) + request.order.count
        func list(_ sql: inout SQLText, _ name: String? = nil) {
            sql.nested(need, scope) { sql, level in
                let inner = SQLScope(
                    table, alias: sql.alias(request.entity), level: level, isLimited: request.limit != nil,
                    condition: request.condition)
                sql.select([column], request, inner, name: name)
            }
        }
        let isGuarded = isNegated && (mayBeNil || columnMayBeNil)
        let areBothNil = mayBeNil && columnMayBeNil
        unless(isGuarded) { sql in
            if areBothNil && !isGuarded { sql.text += "(" }
            if !isAlike { sql.text += "+" }
            sql.write(expression, scope)
            sql.text += isNegated && !isGuarded ? " NOT IN " : " IN "
            list(&sql)
            if areBothNil {
                sql.text += " OR "
                sql.write(expression, scope)
                sql.text += " IS NULL AND EXISTS (SELECT 1 FROM "
                list(&sql, "\"granary:value\"")
                sql.text += " WHERE \"granary:value\" IS NULL)"
                if !isGuarded { sql.text += ")" }
            }
        }
    }

    /// Whether a text matches a pattern. If the pattern begins with letters and an index can find them, it is a range.
    mutating func matches(
        _ expression: ResolvedExpression, _ match: TextMatch, _ isNegated: Bool, _ scope: SQLScope
    ) {
        let pattern: TextPattern
        do {
            pattern = try TextPattern(match)
        } catch {
            failure = failure ?? error
            return text += "0"
        }
        let mayBeNil = scope.mayBeNil(expression, tables)
        if case .contains = match.kind, match.folding.isEmpty {
            return unless(isNegated && mayBeNil) { sql in
                sql.text += "instr("
                sql.write(expression, scope)
                sql.text += ", "
                sql.bind(.text(match.pattern))
                sql.text += isNegated && !mayBeNil ? ") = 0" : ") > 0"
            }
        }
        let prefix = pattern.literalPrefix
        guard let searched = searched(expression, match, scope), match.kind == .equal || !prefix.isEmpty else {
            return unless(isNegated) { $0.test(expression, pattern, scope) }
        }
        unless(isNegated) { sql in
            sql.text += searched
            if match.kind == .equal {
                sql.text += " = "
                return sql.bind(.text(prefix))
            }
            sql.text += " >= "
            sql.bind(.text(prefix))
            if let end = successorOfPrefix(prefix) {
                sql.text += " AND \(searched) < "
                sql.bind(.text(end))
            }
            if match.kind != .prefix {
                sql.text += " AND "
                sql.test(expression, pattern, scope)
            }
        }
    }

    private mutating func test(_ expression: ResolvedExpression, _ pattern: TextPattern, _ scope: SQLScope) {
        text += "granary_matches("
        write(expression, scope)
        text += ", ?)"
        parameters.append(.pattern(pattern))
    }

    /// The text for a search: the attribute, or the folded attribute if an index has it.
    private func searched(_ expression: ResolvedExpression, _ match: TextMatch, _ scope: SQLScope) -> String? {
        switch expression {
        case .attribute(let position) where match.folding.isEmpty: return scope.column(position)
        case .attribute(let position) where scope.table.isIndexed(position, match.folding):
            return EntitySQL.folded(scope.column(position), match.folding)
        case .function(.folded(let folding), .attribute(let position)) where match.folding.isEmpty:
            return EntitySQL.folded(scope.column(position), folding)
        default: return nil
        }
    }

    /// Writes a term, or its negation with NULL counted as false.
    private mutating func unless(_ isGuarded: Bool, _ body: (inout SQLText) -> Void) {
        guard isGuarded else { return body(&self) }
        parenthesized(body)
        text += " IS NOT TRUE"
    }
}

extension ResolvedExpression {
    fileprivate var isNull: Bool { self == .value(.null) }
}
