import GranaryCore

extension StoreArgument {
    /// Reasons why a migration would fail although no change is refused: attributes that become unique while records
    /// share their values.
    func duplicateValues(_ planned: PlannedMigration) async throws -> [String] {
        let indexes = planned.uniqueIndexes
        guard !indexes.isEmpty else { return [] }
        return try await withStack { stack in
            try await stack.read { snapshot in
                try indexes.compactMap { entity, stored, index in
                    guard let count = try snapshot.sharedValues(stored, index.folding), count > 0 else { return nil }
                    let path = "\(entity).\(index.attributes.joined(separator: ", "))"
                    return
                        "\(path) becomes unique, but records of \(entity) share their values with others: \(count). Make the values differ, or delete records."
                }
            }
        }
    }
}

/// Attributes by their stored names.
private struct StoredAttributes {
    let entity: String
    let names: [String]
}

extension PlannedMigration {
    /// The indexes that become unique, or whose comparison changes. Indexes with an added attribute are left out: it
    /// has one value in all records, which is nil or known from the schema.
    fileprivate var uniqueIndexes: [(entity: String, stored: StoredAttributes, index: Index)] {
        let added = Set(
            difference.changes.compactMap { change in
                if case .attributeAdded(let entity, let attribute) = change {
                    "\(entity).\(attribute.name)"
                } else {
                    nil
                }
            })
        return difference.changes.compactMap { change in
            let index: Index
            switch change {
            case .indexAdded(_, let new), .uniquenessChanged(_, let new), .foldingChanged(_, _, let new): index = new
            default: return nil
            }
            let entity = change.entity
            guard index.isUnique, !index.attributes.contains(where: { added.contains("\(entity).\($0)") }) else {
                return nil
            }
            let names = index.attributes.map { name in
                for case .attributeRenamed(entity, name, let earlier) in difference.changes { return earlier }
                return name
            }
            return (entity, StoredAttributes(entity: storedName(ofEntity: entity), names: names), index)
        }
    }
}

extension Snapshot {
    /// How many records share the values of attributes with other records. Records with nil are not counted. Nil if the
    /// entity is not stored.
    fileprivate func sharedValues(_ place: StoredAttributes, _ folding: TextFolding) throws -> Int? {
        guard let entity = schema.entities.first(where: { $0.name == place.entity }) else { return nil }
        let values = place.names.map { name -> AnyExpression in
            let isText = entity.attributes.first { $0.name == name }?.type == .string
            return folding.isEmpty || !isText ? .attribute(name) : .function(.folded(folding), .attribute(name))
        }
        let present = AnyCondition.all(place.names.map { .compare($0, .notEqual, .null) })
        let groups = Request(place.entity).where(present).grouped(by: values)
            .having(.relation(.aggregate(.count), .greater, .value(.integer(1))))
            .select([.aggregate(.count)])
        return try groups.fetch(in: self).reduce(0) { sum, row in
            guard case .integer(let count)? = row.first else { return sum }
            return sum + Int(count)
        }
    }
}
