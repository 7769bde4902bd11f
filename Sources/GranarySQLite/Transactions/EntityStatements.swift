import GranaryStoreKit

/// The statements by key of one entity, prepared when first used.
final class EntityStatements {
    let layout: EntityLayout
    /// The number of the entity's attributes.
    let attributeCount: Int
    /// The layout, for reads that must not count a reference to it: threads would take the count from each other.
    private let uncounted: Unmanaged<EntityLayout>
    private let connection: Connection
    private var kept: [Statement?] = Array(repeating: nil, count: Kind.count)

    enum Kind: Int {
        case find, insert, update, upsert, delete, setChecksum
        static let count = 6
    }

    init(_ layout: EntityLayout, _ connection: Connection) {
        self.layout = layout
        attributeCount = layout.count
        uncounted = Unmanaged.passUnretained(layout)
        self.connection = connection
    }

    /// Refuses a key of another kind.
    @inline(__always) func checkKey(_ key: Cell) throws {
        try uncounted._withUnsafeGuaranteedRef { try $0.checkKey(key) }
    }

    /// The statement, reset.
    @inline(__always) func statement(_ kind: Kind) throws -> Statement {
        if let statement = kept[kind.rawValue] {
            statement.reset()
            return statement
        }
        return try prepare(kind)
    }

    @inline(never) private func prepare(_ kind: Kind) throws -> Statement {
        let sql =
            switch kind {
            case .find: layout.sql.find
            case .insert: layout.sql.insert
            case .update: layout.sql.update
            case .upsert: layout.sql.upsert
            case .delete: layout.sql.delete
            case .setChecksum: layout.sql.setChecksum
            }
        let statement = try Statement(connection, sql, layout: layout)
        kept[kind.rawValue] = statement
        return statement
    }

    func finalize() {
        for statement in kept { statement?.finalize() }
        kept = Array(repeating: nil, count: Kind.count)
    }
}
