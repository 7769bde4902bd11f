import GranaryStoreKit

/// Turns SQLite's description of a plan into the common format of all stores.
///
/// `EXPLAIN QUERY PLAN` gives a tree of lines: `SEARCH 1 USING INDEX Artist.name (name=?)`. Nested `SELECT`s become the
/// indentation of steps. What SQLite does not report is taken from the request: whether rows are checked further, in
/// which direction they are read, that `>` was `>=`.
struct PlanReader {
    private let request: FetchRequest
    private let groups: [TypedExpression]
    private let isGrouping: Bool
    private let layout: EntityLayout
    private var steps: [QueryPlan.Step] = []
    /// The parts of the condition that must all hold.
    private let conjuncts: [ResolvedCondition]

    /// A line and its place in the tree.
    private struct Line {
        var text: String
        /// The number of `SELECT`s that it is nested in.
        var depth: Int
        /// Whether it runs for each row of the enclosing step.
        var isCorrelated: Bool
        var isAlternative: Bool
    }

    init(_ request: FetchRequest, _ layout: EntityLayout, groups: [TypedExpression] = []) {
        self.request = request
        self.layout = layout
        self.groups = groups
        isGrouping = !groups.isEmpty
        switch request.condition {
        case nil: conjuncts = []
        case .all(let parts): conjuncts = parts
        case .some(let condition): conjuncts = [condition]
        }
    }

    mutating func plan(of sql: SQLText, _ session: Session) throws -> QueryPlan {
        if request.condition == .always(false) { return QueryPlan([QueryPlan.Step(.nothing, layout.name)]) }
        try read(sql, session, around: nil)
        complete()
        return QueryPlan(steps)
    }

    /// Reads the lines of a statement, then those of the queries that it asks for each row.
    private mutating func read(_ sql: SQLText, _ session: Session, around: Line?) throws {
        var explained = sql
        explained.text = "EXPLAIN QUERY PLAN " + sql.text
        let lease = try session.lease(explained, nil)
        defer { session.giveBack(lease, isFinished: true) }
        var lines: [Int64: Line] = [:]
        for row in try lease.statement?.values() ?? [] {
            guard row.count == 4, case .integer(let id) = row[0], case .integer(let parent) = row[1],
                case .text(let utf8) = row[3]
            else { continue }
            let text = String(decoding: utf8, as: UTF8.self)
            var line = Line(
                text: text, depth: around?.depth ?? 0, isCorrelated: around?.isCorrelated ?? false, isAlternative: false
            )
            if let around = lines[parent] {
                let isNested = around.text.contains("SUBQUERY") || around.text.hasPrefix("MATERIALIZE")
                line.depth = around.depth + (isNested ? 1 : 0)
                line.isCorrelated = around.text.hasPrefix("CORRELATED") || (around.isCorrelated && !isNested)
                line.isAlternative = around.isAlternative || around.text == "MULTI-INDEX OR"
            }
            lines[id] = line
            read(line, sql)
        }
        for case .query(let query) in sql.parameters {
            let line = Line(text: "", depth: (around?.depth ?? 0) + 1, isCorrelated: true, isAlternative: false)
            try read(query, session, around: line)
        }
    }

    private mutating func read(_ line: Line, _ sql: SQLText) {
        let text = line.text
        if text.hasPrefix("USE TEMP B-TREE FOR ") {
            add(temporary(text.dropFirst(20), line), line)
        } else if text.hasSuffix(" FOR IN-OPERATOR") {
            lookUpInList(text, line, sql)
        } else if let step = access(line, sql) {
            add(step, line)
        }
    }

    private mutating func add(_ step: QueryPlan.Step, _ line: Line) {
        var step = step
        step.depth = line.depth
        steps.append(step)
    }

    /// `SEARCH`, `SCAN`.
    private func access(_ line: Line, _ sql: SQLText) -> QueryPlan.Step? {
        let words = line.text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "SEARCH" || words[0] == "SCAN", let table = table(words[1], sql) else {
            return nil
        }
        var step = QueryPlan.Step(words[0] == "SEARCH" ? .search : .scan, table.entity.name)
        guard words.count == 3 else { return step }
        var rest = words[2]
        // An index that SQLite makes only for this statement needs a scan.
        if rest.contains("AUTOMATIC") {
            step.action = .scan
            return step
        }
        var terms: [Substring] = []
        if rest.hasSuffix(")"), let start = rest.firstIndex(of: "(") {
            terms = rest[start...].dropFirst().dropLast().split(separator: " AND ")
            rest = rest[..<start]
        }
        step.isIndexOnly = rest.contains("COVERING")
        let index = table.index(named: indexName(in: rest))
        step.index = index.map { $0.attributes.joined(separator: "_") } ?? "key"
        step.terms = terms.enumerated().map { number, term in
            self.words(term, index, number, table, line)
        }
        if line.isCorrelated, step.index == "key", terms.count == 1, terms[0].hasSuffix("=?"), !terms[0].contains("<") {
            step.action = .lookUp
        }
        return step
    }

    /// `USING INDEX Artist.name FOR IN-OPERATOR`, `USING ROWID SEARCH ON TABLE Artist FOR IN-OPERATOR`.
    private mutating func lookUpInList(_ text: String, _ line: Line, _ sql: SQLText) {
        let name = indexName(in: text.dropLast(" FOR IN-OPERATOR".count))
        for table in sql.tables {
            guard let index = table.index(named: name) else { continue }
            let attributes = index.attributes.joined(separator: "_")
            return add(QueryPlan.Step(.lookUp, table.entity.name, index: attributes), line)
        }
        for word in text.split(separator: " ") {
            if let table = table(word, sql) {
                return add(QueryPlan.Step(.lookUp, table.entity.name, index: "key"), line)
            }
        }
    }

    /// The name after `INDEX`, which may contain a space, as `Genre.name unique`.
    private func indexName(in text: Substring) -> String {
        guard let word = text.firstRange(of: "INDEX ") else { return "" }
        var name = text[word.upperBound...]
        while name.last == " " { name.removeLast() }
        return String(name)
    }

    private func table(_ name: Substring, _ sql: SQLText) -> EntitySQL? {
        if let number = Int(name) {
            return sql.aliases.indices.contains(number - 1) ? sql.tables[sql.aliases[number - 1]] : nil
        }
        return sql.tables.first { $0.entity.name == name }
    }
}

// MARK: Words
extension PlanReader {
    /// `name=?` as `name = ?`.
    private func words(_ term: Substring, _ index: Index?, _ number: Int, _ table: EntitySQL, _ line: Line) -> String {
        guard let place = term.lastIndex(where: { "=<>".contains($0) }) else { return String(term) }
        let sign = String(term[place])
        var name = String(term[..<place])
        if name == "rowid" { name = table.entity.key }
        if name == "<expr>", let index {
            // Both ends of a range belong to the last searched attribute.
            let attribute = index.attributes[min(number, index.attributes.count - 1)]
            return "\(attribute)\(index.folding) \(sign) ?"
        }
        guard line.depth == 0, let position = table.entity.attributes.firstIndex(where: { $0.name == name }) else {
            return "\(name) \(sign) ?"
        }
        for conjunct in conjuncts {
            switch conjunct {
            case .compare(position, .greaterOrEqual, _) where sign == ">": return "\(name) >= ?"
            case .compare(position, .lessOrEqual, _) where sign == "<": return "\(name) <= ?"
            case .compare(position, .notEqual, .null) where sign == ">": return "\(name) != nil"
            case .text(.attribute(position), _, false) where sign == ">": return "\(name) >= ?"
            case .among(position, let values) where sign == "=": return "\(name) in (\(values.count))"
            default: break
            }
        }
        return "\(name) \(sign) ?"
    }

    private func temporary(_ purpose: Substring, _ line: Line) -> QueryPlan.Step {
        if purpose.hasSuffix("ORDER BY") {
            var step = QueryPlan.Step(.sort)
            if line.depth == 0 {
                step.terms = orderWords
                step.limit = needed
            }
            return step
        }
        if purpose == "GROUP BY" { return QueryPlan.Step(.group, terms: line.depth == 0 ? groupWords : []) }
        return QueryPlan.Step(.distinct)
    }

    /// The number of rows that must be found.
    private var needed: Int? {
        guard let limit = request.limit else { return nil }
        let (sum, overflow) = limit.addingReportingOverflow(request.offset)
        return overflow ? nil : sum
    }

    private var orderWords: [String] {
        if request.order.isEmpty { return request.isDistinct ? [] : [layout.entity.key] }
        return request.order.map { term in
            term.value.expression.words(layout.sql, layout.tables) + (term.isDescending ? " desc" : "")
        }
    }

    private var groupWords: [String] { groups.map { $0.expression.words(layout.sql, layout.tables) } }

    /// Adds the steps that SQLite does not report.
    private mutating func complete() {
        let reads = steps.indices.filter { steps[$0].depth == 0 && [.search, .scan].contains(steps[$0].action) }
        if isGrouping, !steps.contains(where: { $0.action == .group && $0.depth == 0 }) {
            steps.append(QueryPlan.Step(.group, terms: groupWords))
        }
        guard let first = reads.first, reads.count == 1 else { return }
        let asked = conjuncts.reduce(into: 0) { $0 += $1.searchTerms }
        let isFiltered = steps[first].action == .scan ? !conjuncts.isEmpty : asked > steps[first].terms.count
        let isSorted = steps.contains { $0.action == .sort && $0.depth == 0 }
        if !isSorted && !isGrouping && !request.isDistinct {
            if let last = request.order.last { steps[first].isBackwards = last.isDescending }
            if !isFiltered { steps[first].limit = needed }
        }
        if isFiltered {
            let end = steps.indices.first { $0 > first && steps[$0].depth == 0 } ?? steps.endIndex
            steps.insert(QueryPlan.Step(.filter), at: end)
        }
    }
}

extension ResolvedCondition {
    /// The number of search terms that it gives if an index answers it.
    fileprivate var searchTerms: Int {
        switch self {
        case .text(_, let match, _): match.kind == .equal ? 1 : match.kind == .prefix ? 2 : 3
        default: 1
        }
    }
}
