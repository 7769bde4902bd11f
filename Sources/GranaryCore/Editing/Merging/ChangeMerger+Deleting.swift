// A record that is also to be deleted may deny the deletion of another one. Entities that refer are therefore handled
// before the entities that they refer to, which is enough if they refer in no circle. In a circle, denied deletions are
// tried again after the others, and then once more with all optional references between the records to be deleted set
// to nil.

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
        // One statement if records of one entity refer to each other, so that only records that stay can deny it.
        let position = schema.entities[entity].keyPosition
        if schema.entities[entity].refersToItself && keys.count > 1 {
            _ = try writer.deleteAll(
                FetchRequest(entity: entity, condition: .among(position: position, keys.sorted())))
        } else {
            for key in keys { _ = try key.withCell { try writer.delete($0, from: entity) } }
        }
    }

    /// Sets the optional references of these records to nil.
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

    /// The entities in an order in which referring ones come before those that they refer to, except in circles.
    private var deletionOrder: [Int] {
        var order: [Int] = []
        var state = Array(repeating: 0, count: schema.entities.count)
        for start in schema.entities.indices where state[start] == 0 {
            // Depth first without recursion: an entity is done when all entities that it refers to are done.
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
