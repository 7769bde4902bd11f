/// Where the values of rows come from that are copied from a store of one schema to one of another.
struct RowMapping: Sendable {
    private enum Value {
        case source(Int)
        case constant(StoredValue)
    }

    /// For each entity of the source its position in the target.
    private let targets: [Int?]
    /// For each entity of the target its position in the source.
    private let sources: [Int?]
    /// For each entity of the target, for each attribute.
    private let values: [[Value]]
    /// Whether rows stay as they are.
    let isIdentity: Bool

    /// - Throws: `schemaMismatch` if records would lose values or need more than defaults.
    init(from stored: Schema, to program: Schema) throws {
        do {
            _ = try SchemaMigration(from: stored, to: program, .automatic)
        } catch var error as GranaryError where error.code == .schemaMismatch {
            error.message = "The seed cannot be used. \(error.message)"
            throw error
        }
        let adopted = program.adoptingIDs(from: stored)
        sources = adopted.entities.map { entity in stored.entities.firstIndex { $0.id == entity.id } }
        let sources = sources
        targets = stored.entities.indices.map { sources.firstIndex(of: $0) }
        values = adopted.entities.indices.map { position in
            let source = sources[position].map { stored.entities[$0].attributes } ?? []
            return adopted.entities[position].attributes.map { attribute in
                source.firstIndex { $0.id == attribute.id }.map { .source($0) }
                    ?? .constant(attribute.defaultValue ?? .null)
            }
        }
        let values = values
        isIdentity =
            stored.entities.count == program.entities.count
            && stored.entities.indices.allSatisfy { entity in
                sources[entity] == entity && values[entity].count == stored.entities[entity].attributes.count
                    && values[entity].enumerated().allSatisfy { position, value in
                        if case .source(position) = value { true } else { false }
                    }
            }
    }

    func convert(_ row: borrowing Row, _ entity: Int, _ output: StoreTransfer.Output) throws {
        guard let target = targets[entity] else { return }
        var all: [StoredValue] = []
        all.reserveCapacity(values[target].count)
        for value in values[target] {
            switch value {
            case .source(let position): all.append(StoredValue(row[position]))
            case .constant(let value): all.append(value)
            }
        }
        try output.append(all, to: target)
    }

    /// The greatest key that each entity of the target has had in the source.
    func lastAssignedKeys(of source: any StoreReader) throws -> [Int64] {
        let keys = try source.lastAssignedKeys()
        return sources.map { $0.map { keys[$0] } ?? 0 }
    }
}
