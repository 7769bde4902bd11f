import GranaryStoreKit

// SQLite's own foreign-key actions are the fastest way to delete if they are sufficient. They are not if a cascade can
// return to an entity, because each row of a chain is then one trigger deeper: SQLite stops at 1 000, and its time
// grows with the square of the depth (990 rows in a chain: half a second, 100: 6 ms); not if a row that loses a
// reference needs a new checksum; and not if references are deferred, because a rule that denies would be deferred too.
// In these cases the deletion is computed first, by statements over sets: which rows are deleted, in a temporary table,
// until no more are found; then whether a remaining row denies it; only then is anything changed.

/// The effects of deleting an entity's rows on other rows, derived from the schema, and the SQL for it. Made when it is
/// first needed: for a large schema all plans together would take much memory.
final class DeletionPlan: Sendable {
    /// The entities whose rows may be deleted, this one first.
    let reached: [Int]
    /// Whether a chain of cascades may be as long as the number of rows.
    let isUnbounded: Bool
    /// The attributes that become nil when the row that they name is deleted, by the entity of that row.
    let nullified: [Edge]
    let denying: [Edge]
    /// Statements that add the rows deleted by cascades from those in the table. They are run until none adds a row;
    /// nearly always there is only one.
    let closures: [String]
    /// Gives a row if the entity's row with a key is referred to.
    let referrerQuery: String?
    /// Gives a row if any row of the entity is referred to.
    let anyReferrerQuery: String?

    /// A reference, and its target entity.
    struct Edge: Sendable {
        var entity: Int
        var position: Int
        var target: Int
    }

    static let table = "temp.\"granary:doomed\""
    static let creation = """
        CREATE TEMP TABLE IF NOT EXISTS "granary:doomed" ("entity" INTEGER, "key", PRIMARY KEY ("entity", "key")) \
        WITHOUT ROWID
        """
    /// Less than the number of parts that SQLite allows in a compound query.
    private static let mostEdges = 400

    init(_ root: Int, _ layouts: [EntityLayout]) {
        var reached = [root]
        var isReached: Set<Int> = [root]
        var cascades: [Edge] = []
        var nullified: [Edge] = []
        var denying: [Edge] = []
        var next = 0
        while next < reached.count {
            let target = reached[next]
            next += 1
            for referrer in layouts[target].referrers {
                let edge = Edge(entity: referrer.entity, position: referrer.position, target: target)
                switch referrer.rule {
                case .cascade:
                    cascades.append(edge)
                    if isReached.insert(edge.entity).inserted { reached.append(edge.entity) }
                case .nullify: nullified.append(edge)
                case .deny: denying.append(edge)
                case .noAction: break
                }
            }
        }
        self.reached = reached
        self.nullified = nullified
        // The order in which broken rules are reported: that of the schema.
        self.denying = denying.sorted { ($0.entity, $0.position, $0.target) < ($1.entity, $1.position, $1.target) }
        isUnbounded = DeletionPlan.hasCircle(reached, cascades)
        closures = stride(from: 0, to: cascades.count, by: DeletionPlan.mostEdges).map { start in
            DeletionPlan.closure(cascades[start..<min(start + DeletionPlan.mostEdges, cascades.count)], layouts)
        }
        referrerQuery = DeletionPlan.referrers(to: layouts[root], "= ?1", layouts)
        anyReferrerQuery = DeletionPlan.referrers(to: layouts[root], "IS NOT NULL", layouts)
    }

    private static func referrers(to layout: EntityLayout, _ test: String, _ layouts: [EntityLayout]) -> String? {
        let queries = layout.referrers.map { referrer in
            let sql = layouts[referrer.entity].sql
            return "EXISTS (SELECT 1 FROM \(sql.table) WHERE \(sql.names[referrer.position]) \(test))"
        }
        return queries.isEmpty ? nil : "SELECT 1 WHERE \(balanced(queries))"
    }

    /// Whether entities remain after repeatedly removing those that no remaining entity cascades to.
    private static func hasCircle(_ entities: [Int], _ cascades: [Edge]) -> Bool {
        var incoming: [Int: Int] = [:]
        var outgoing: [Int: [Int]] = [:]
        for edge in cascades {
            incoming[edge.entity, default: 0] += 1
            outgoing[edge.target, default: []].append(edge.entity)
        }
        var free = entities.filter { incoming[$0] == nil }
        var taken = 0
        while let entity = free.popLast() {
            taken += 1
            for other in outgoing[entity] ?? [] {
                incoming[other, default: 0] -= 1
                if incoming[other] == 0 { free.append(other) }
            }
        }
        return taken < entities.count
    }

    /// A walk along references. `UNION` adds each row once, so circles end.
    private static func closure(_ cascades: ArraySlice<Edge>, _ layouts: [EntityLayout]) -> String {
        let steps = cascades.map { edge in
            let sql = layouts[edge.entity].sql
            return """
                 UNION SELECT \(edge.entity), c.\(sql.key) FROM found CROSS JOIN \(sql.table) AS c \
                ON c.\(sql.names[edge.position]) = found."key" WHERE found."entity" = \(edge.target)
                """
        }
        return """
            WITH RECURSIVE found ("entity", "key") AS (SELECT "entity", "key" FROM \(table)\(steps.joined())) \
            INSERT OR IGNORE INTO \(table) SELECT "entity", "key" FROM found
            """
    }

    /// Terms joined by `OR`, no deeper than the logarithm of their number.
    private static func balanced(_ terms: [String]) -> String {
        var terms = terms
        while terms.count > 1 {
            terms = stride(from: 0, to: terms.count, by: 2).map { index in
                index + 1 < terms.count ? "(\(terms[index]) OR \(terms[index + 1]))" : terms[index]
            }
        }
        return terms.first ?? "0"
    }
}
