import ConformanceKit
package import GranaryCore

extension ReferenceState {
    /// Deletes rows by key with what the rules delete too, all or none. Keys without a row are passed over.
    package mutating func delete(_ keys: [StoredValue], from entity: Int) throws(Breach) {
        var doomed = schema.entities.map { _ in Set<StoredValue>() }
        doomed[entity] = Set(keys.filter { tables[entity][$0] != nil })
        let references = self.references()

        // Cascades, until nothing is added.
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for reference in references where reference.rule == .cascade && !doomed[reference.target].isEmpty {
                for (key, row) in tables[reference.entity]
                where doomed[reference.target].contains(row[reference.position]) {
                    if doomed[reference.entity].insert(key).inserted { hasGrown = true }
                }
            }
        }
        // What remains must not refer to what goes.
        var changed = self
        for reference in references where !doomed[reference.target].isEmpty {
            for (key, row) in changed.tables[reference.entity] {
                guard doomed[reference.target].contains(row[reference.position]),
                    !doomed[reference.entity].contains(key)
                else { continue }
                switch reference.rule {
                case .deny:
                    throw Breach(
                        codes: [.deniedDeletion], entity: schema.entities[reference.entity].name,
                        attributes: [schema.entities[reference.entity].attributes[reference.position].name])
                case .nullify:
                    var row = row
                    row[reference.position] = .null
                    changed.put(row, reference.entity)
                case .cascade, .noAction: break
                }
            }
        }
        for (entity, keys) in doomed.enumerated() {
            for key in keys { changed.remove(key, entity) }
        }
        self = changed
    }

    private func references() -> [(entity: Int, position: Int, target: Int, rule: DeleteRule)] {
        schema.entities.enumerated().flatMap { entity, description in
            description.attributes.enumerated().compactMap { position, attribute in
                guard let reference = attribute.reference,
                    let target = schema.entities.firstIndex(where: { $0.name == reference.entity })
                else { return nil }
                return (entity, position, target, reference.onDelete)
            }
        }
    }
}
