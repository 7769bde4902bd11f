// A deletion of one record may be denied by another that is to go as well. Entities that refer are gone through before
// those referred to, which is enough where they refer in no circle. Else what was denied is tried again after the rest,
// then once more with nothing left of the references among what goes that may be nil.

extension ChangeMerger {
    func delete(_ keys: [Int: [StoredValue]], in writer: any StoreWriter) throws {
        var left = deletionOrder.compactMap { entity in keys[entity].map { (entity: entity, keys: $0) } }
        var isReleased = false
        var isSingle = false
        while !left.isEmpty {
            var denied: [(entity: Int, keys: [StoredValue])] = []
            var denial: GranaryError?
            for (entity, keys) in left {
                do {
                    try delete(keys, of: entity, in: writer)
                } catch let error as GranaryError where error.code == .deniedDeletion {
                    denied.append((entity, keys))
                    denial = denial ?? error
                }
            }
            if let denial, denied.count == left.count {
                if !isReleased {
                    isReleased = true
                    for (entity, keys) in denied { try loosen(keys, of: entity, in: writer) }
                } else if !isSingle {
                    isSingle = true
                    denied = denied.flatMap { entity, keys in keys.map { (entity, [$0]) } }
                } else {
                    throw denial
                }
            }
            left = denied
        }
    }

    private func delete(_ keys: [StoredValue], of entity: Int, in writer: any StoreWriter) throws {
        // One statement where records of one entity refer to each other, so that only those that stay can deny it.
        let position = schema.entities[entity].keyPosition
        if schema.entities[entity].refersToItself && keys.count > 1 {
            _ = try writer.deleteAll(
                FetchRequest(entity: entity, condition: .among(position: position, keys.sorted())))
        } else {
            for key in keys { _ = try key.withCell { try writer.delete($0, from: entity) } }
        }
    }

    /// Makes the references nil that may be.
    private func loosen(_ keys: [StoredValue], of entity: Int, in writer: any StoreWriter) throws {
        let attributes = schema.entities[entity].attributes
        let nils = attributes.indices.filter { attributes[$0].reference != nil && attributes[$0].isOptional }
            .map { Assignment(position: $0, value: .null) }
        if nils.isEmpty { return }
        for key in keys {
            guard let row = try stored(RecordChange.Place(entity: entity, key: key), writer) else { continue }
            _ = try row.setting(nils).withRow { try writer.update($0, in: entity) }
        }
    }

    /// Entities that refer come before those they refer to, as far as there is no circle.
    private var deletionOrder: [Int] {
        var order: [Int] = []
        var state = Array(repeating: 0, count: schema.entities.count)
        for start in schema.entities.indices where state[start] == 0 {
            // Depth first without recursion: an entity is done when all it refers to are.
            var path = [start]
            while let entity = path.last {
                if state[entity] == 0 {
                    state[entity] = 1
                    for attribute in schema.entities[entity].attributes {
                        guard let name = attribute.reference?.entity,
                            let target = try? schema.position(ofEntity: name), state[target] == 0
                        else { continue }
                        path.append(target)
                    }
                } else {
                    path.removeLast()
                    if state[entity] == 1 {
                        state[entity] = 2
                        order.append(entity)
                    }
                }
            }
        }
        return order.reversed()
    }
}

extension Entity {
    /// Whether a record can refer to another of the same entity.
    fileprivate var refersToItself: Bool { attributes.contains { $0.reference?.entity == name } }
}
