import GranaryStoreKit
import Synchronization

/// The SQL texts for one entity, made once. A class, so that passing it on retains only one object.
final class EntitySQL: Sendable {
    let entity: Entity
    let keyPosition: Int
    /// The quoted name of the table.
    let table: String
    let key: String
    /// The quoted names of the columns, by position.
    let names: [String]
    private let hasChecksum: Bool
    /// Nil until a statement of the entity is needed: a program that opens a store uses few of its entities at first.
    private let statements = AtomicLazyReference<StatementTexts>()

    /// The column of the checksum. No attribute's name has a colon.
    static let checksum = quoted("granary:sum")

    init(_ entity: Entity, hasChecksum: Bool) {
        self.entity = entity
        self.hasChecksum = hasChecksum
        keyPosition = entity.keyPosition
        names = entity.attributes.map { EntitySQL.quoted($0.name) }
        table = EntitySQL.quoted(entity.name)
        key = EntitySQL.quoted(entity.key)
    }

    private var texts: StatementTexts {
        statements.load() ?? statements.storeIfNil(StatementTexts(self, hasChecksum: hasChecksum))
    }

    /// Every column in the order of the attributes, and the checksum if the table has one.
    var columns: String { texts.columns }
    var find: String { texts.find }
    /// The beginning of a `SELECT` of every column.
    var selectRows: String { texts.selectRows }
    /// The beginning of a `SELECT` of the key.
    var selectKeys: String { texts.selectKeys }
    var insert: String { texts.insert }
    var update: String { texts.update }
    var upsert: String { texts.upsert }
    var delete: String { "DELETE FROM \(table) WHERE \(key) = ?1" }
    var setChecksum: String { "UPDATE \(table) SET \(EntitySQL.checksum) = ?1 WHERE \(key) = ?2" }

    /// The beginning of a `SELECT` of one column.
    func selecting(_ position: Int) -> String { "SELECT \(names[position]) FROM \(table)" }

    /// Folded text, in the single form that indexes and queries share.
    static func folded(_ text: String, _ folding: TextFolding) -> String {
        folding.isEmpty ? text : "granary_fold(\(text), \(folding.rawValue))"
    }

    static func quoted(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"" + name + "\"" }
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// The statements of an entity that name every column.
private final class StatementTexts: Sendable {
    let columns: String
    let find: String
    let selectRows: String
    let selectKeys: String
    let insert: String
    let update: String
    let upsert: String

    init(_ sql: EntitySQL, hasChecksum: Bool) {
        let (table, key) = (sql.table, sql.key)
        let all = sql.names + (hasChecksum ? [EntitySQL.checksum] : [])
        let others = all.filter { $0 != key }
        columns = all.joined(separator: ", ")
        let marks = (1...all.count).map { "?\($0)" }.joined(separator: ", ")
        selectRows = "SELECT \(columns) FROM \(table)"
        selectKeys = "SELECT \(key) FROM \(table)"
        find = "\(selectRows) WHERE \(key) = ?1"
        insert = "INSERT INTO \(table) (\(columns)) VALUES (\(marks))"
        // The update uses the insertion's parameters, by position, so that a row is bound in the same way for both.
        let settings = zip(1..., all).filter { $0.1 != key }.map { "\($0.1) = ?\($0.0)" }.joined(separator: ", ")
        let keyMark = "?\(sql.keyPosition + 1)"
        update =
            "UPDATE \(table) SET \(settings.isEmpty ? "\(key) = \(keyMark)" : settings) WHERE \(key) = \(keyMark)"
        let replacing = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        upsert =
            insert + " ON CONFLICT (\(key)) " + (others.isEmpty ? "DO NOTHING" : "DO UPDATE SET \(replacing)")
    }
}
