import GranaryStoreKit
import GranaryPlatform

/// The places of a store's data, kept in the store itself: the keyspaces of entities and indexes and the shapes of
/// rows. Numbers are given once and never reused.
struct StoredCatalog: Codable, Sendable, Hashable {
    var tables: [Table] = []
    /// The number of the next keyspace. 0 is the store's own.
    var nextKeyspace: UInt32 = 1
    /// The keyspaces of removed indexes whose entries have not been deleted yet. Nil if there are none: then the JSON
    /// of the catalog has no such member.
    var dropped: [UInt32]?

    struct Table: Codable, Sendable, Hashable {
        /// The entity's number in the schema.
        var entity: Int
        var keyspace: UInt32
        /// Every shape in which rows were ever written; the last is the one in use.
        var shapes: [[ShapeField]]
        var indexes: [Index]
    }

    struct Index: Codable, Sendable, Hashable {
        /// The attributes' numbers.
        var attributes: [Int]
        var isUnique: Bool
        var keyspace: UInt32
        /// Nil, and not written, if it is empty.
        var folding: TextFolding?

        func matches(_ index: GranaryModel.Index, of entity: Entity) -> Bool {
            hasEntries(of: index, of: entity) && isUnique == index.isUnique
        }

        /// Whether its entries are those of an index. Uniqueness makes no difference to the entries.
        func hasEntries(of index: GranaryModel.Index, of entity: Entity) -> Bool {
            attributes == entity.numbers(of: index) && (folding ?? []) == index.folding
        }
    }

    /// The catalog of a new store.
    init(_ schema: Schema) {
        for entity in schema.entities { add(entity) }
    }

    mutating func add(_ entity: Entity) {
        var table = Table(
            entity: entity.id, keyspace: takeKeyspace(),
            shapes: [entity.attributes.map { ShapeField(attribute: $0.id, type: $0.type) }], indexes: [])
        for index in entity.indexes { table.indexes.append(new(index, of: entity)) }
        tables.append(table)
    }

    /// An index with a keyspace of its own.
    mutating func new(_ index: GranaryModel.Index, of entity: Entity) -> Index {
        Index(
            attributes: entity.numbers(of: index), isUnique: index.isUnique, keyspace: takeKeyspace(),
            folding: index.folding.isEmpty ? nil : index.folding)
    }

    private mutating func takeKeyspace() -> UInt32 {
        defer { nextKeyspace += 1 }
        return nextKeyspace
    }

    /// A limit above the number of keyspaces of any schema's history. An engine may reserve room for all numbers up to
    /// the greatest.
    private static let numberLimit: UInt32 = 1 << 20

    /// Whether each keyspace has a number of its own, below the next one.
    private var hasRightNumbers: Bool {
        let numbers = keyspaces.map(\.number)
        return nextKeyspace <= StoredCatalog.numberLimit && Set(numbers).count == numbers.count
            && numbers.allSatisfy { $0 > 0 && $0 < nextKeyspace }
    }

    var keyspaces: [Keyspace] {
        tables.flatMap { [Keyspace($0.keyspace)] + $0.indexes.map { Keyspace($0.keyspace) } } + droppedKeyspaces
    }

    var droppedKeyspaces: [Keyspace] { (dropped ?? []).map { Keyspace($0) } }

    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do {
            return Array(try encoder.encode(self))
        } catch {
            throw GranaryError(.invalidSchema, "The store's catalog cannot be encoded: \(type(of: error)).")
        }
    }

    init(json: [UInt8]) throws {
        self = try StoredCatalog.decoded.value(json, StoredCatalog.decode)
    }

    private static let decoded = RecentlyDecoded<StoredCatalog>()

    private static func decode(_ json: [UInt8]) throws -> StoredCatalog {
        do {
            let catalog = try JSONDecoder().decode(StoredCatalog.self, from: Data(json))
            guard catalog.hasRightNumbers else { throw Meta.damaged(Meta.catalog) }
            return catalog
        } catch let error as GranaryError {
            throw error
        } catch {
            throw Meta.damaged(Meta.catalog)
        }
    }
}

extension Entity {
    /// The numbers of an index's attributes.
    func numbers(of index: Index) -> [Int] {
        index.attributes.map { name in attributes.first { $0.name == name }?.id ?? 0 }
    }
}
