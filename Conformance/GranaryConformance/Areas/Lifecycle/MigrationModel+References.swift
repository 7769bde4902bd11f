import ConformanceKit
import GranaryCore

// References, indexes, names of entities and types of keys.
extension MigrationModel {
    static func comesBefore(_ left: StoredValue, _ right: StoredValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        default: false
        }
    }

    func keyType(of entity: String) -> AttributeType {
        entities.first { $0.name == entity }?.attributes.first?.type ?? .int64
    }

    func isReferredTo(_ entity: String) -> Bool {
        entities.contains { other in
            other.name != entity && other.attributes.contains { $0.reference?.entity == entity }
        }
    }

    mutating func rule() -> DeleteRule {
        [DeleteRule.nullify, .cascade, .deny, .noAction].randomElement(using: &random) ?? .deny
    }

    /// Adds an optional reference without values.
    mutating func addReference(from position: Int, touched: inout Set<String>) {
        guard let target = entities.randomElement(using: &random)?.name else { return }
        let (entity, new) = (entities[position].name, name())
        entities[position].attributes.append(
            Attribute(
                new, keyType(of: target), isOptional: true,
                reference: .init(entity: target, onDelete: rule())))
        set(new, of: entity) { _ in .null }
        touched.insert("\(entity).\(new)")
        changes.append("\(entity).\(new) refers to \(target)")
    }

    /// Adds a reference with values: of existing records, and also of missing ones where no rule holds.
    mutating func addReference(from position: Int) {
        var touched: Set<String> = []
        addReference(from: position, touched: &touched)
        changes = []
        let entity = entities[position].name
        guard let reference = entities[position].attributes.last, let target = reference.reference
        else { return }
        var keys =
            (records[target.entity]?.keys.map { $0 } ?? []).sorted(by: MigrationModel.comesBefore) + [
                .null
            ]
        if target.onDelete == .noAction { keys.append(.integer(99)) }
        for key in (records[entity]?.keys.map { $0 } ?? []).sorted(by: MigrationModel.comesBefore) {
            records[entity]?[key]?[reference.name] = keys.randomElement(using: &random) ?? .null
        }
    }

    /// Gives a reference another rule or makes it plain; makes a plain attribute a reference.
    mutating func changeReference(_ position: Int, _ place: Int, _ step: inout MigrationStep) {
        let entity = entities[position].name
        var attribute = entities[position].attributes[place]
        if attribute.reference == nil {
            let targets = entities.map(\.name).filter { keyType(of: $0) == attribute.type }
            guard let target = targets.randomElement(using: &random) else { return }
            attribute.reference = .init(entity: target, onDelete: rule())
            attribute.defaultValue = nil
        } else if Bool.random(using: &random) {
            attribute.reference = nil
        } else {
            attribute.reference?.onDelete = rule()
        }
        if attribute.reference?.onDelete == .nullify { attribute.isOptional = true }
        entities[position].attributes[place] = attribute
        changes.append("\(entity).\(attribute.name): \(attribute.reference.map { "\($0)" } ?? "plain")")
    }

    /// Lets a reference lead to another entity, with its keys or without.
    mutating func changeTarget(_ position: Int, _ place: Int, _ step: inout MigrationStep) {
        let (entity, attribute) = (entities[position].name, entities[position].attributes[place])
        guard let old = attribute.reference else { return }
        let targets = entities.map(\.name).filter {
            $0 != old.entity && keyType(of: $0) == attribute.type
        }
        guard let target = targets.randomElement(using: &random) else { return }
        entities[position].attributes[place].reference?.entity = target
        if attribute.isOptional, Bool.random(using: &random) {
            step = step.dropping("\(entity).\(attribute.name)")
            set(attribute.name, of: entity) { _ in .null }
        } else {
            step = step.converting("\(entity).\(attribute.name)")
        }
        changes.append("\(entity).\(attribute.name) refers to \(target) instead of \(old.entity)")
    }

    /// Adds an index, removes one, or gives one another folding or uniqueness.
    mutating func changeIndexes(of position: Int, over attribute: Attribute) {
        let folding: TextFolding =
            attribute.type == .string && Bool.random(using: &random) ? .caseInsensitive : []
        let index =
            Int.random(in: 0..<3, using: &random) == 0
            ? Index.unique(attribute.name, folding: folding) : .index(attribute.name, folding: folding)
        if Bool.random(using: &random) {
            entities[position].indexes.removeAll { $0.attributes == [attribute.name] }
        }
        if !entities[position].indexes.contains(index) { entities[position].indexes.append(index) }
        changes.append("\(entities[position].name): \(index)")
    }

    mutating func renameEntity(_ position: Int, touched: inout Set<String>) {
        let (old, new) = (entities[position].name, name())
        // One that was added in this step has no earlier name.
        guard entities[position].renamedFrom.isEmpty else { return }
        entities[position] = entities[position].renamed(from: old)
        entities[position].name = new
        for number in entities.indices {
            for place in entities[number].attributes.indices
            where entities[number].attributes[place].reference?.entity == old {
                entities[number].attributes[place].reference?.entity = new
            }
        }
        records[new] = records.removeValue(forKey: old)
        for path in touched where path.hasPrefix("\(old).") {
            touched.insert("\(new)." + path.dropFirst(old.count + 1))
        }
        touched.insert("\(new).")
        changes.append("\(old) renamed \(new)")
    }

    /// Makes the key of an entity a text, and the references to it.
    mutating func makeKeyText(of position: Int, touched: inout Set<String>) {
        let entity = entities[position].name
        guard entities[position].attributes[0].type == .int64 else { return }
        func converted(_ value: StoredValue) -> StoredValue {
            if case .integer(let number) = value { .string("\(number)") } else { value }
        }
        entities[position].attributes[0].type = .string
        records[entity] = records[entity].map { rows in
            Dictionary(
                rows.map { (converted($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        touched.insert("\(entity).id")
        for number in entities.indices {
            for place in entities[number].attributes.indices
            where entities[number].attributes[place].reference?.entity == entity {
                let (other, name) = (entities[number].name, entities[number].attributes[place].name)
                entities[number].attributes[place].type = .string
                set(name, of: other) { converted($0) }
                touched.insert("\(other).\(name)")
            }
        }
        changes.append("\(entity).id becomes a text")
    }

    var hasDanglingReference: Bool {
        entities.contains { entity in
            entity.attributes.contains { attribute in
                guard let reference = attribute.reference, reference.onDelete != .noAction else {
                    return false
                }
                return (records[entity.name] ?? [:]).values.contains { values in
                    guard let value = values[attribute.name], value != .null else { return false }
                    return records[reference.entity]?[value] == nil
                }
            }
        }
    }

    var hasDuplicates: Bool {
        entities.contains { entity in
            entity.indexes.contains { index in
                guard index.isUnique, let name = index.attributes.first else { return false }
                let values = (records[entity.name] ?? [:]).values.compactMap { $0[name] }.filter {
                    $0 != .null
                }
                let folded = index.folding == [] ? values : values.map(MigrationModel.folded)
                return Set(folded).count < folded.count
            }
        }
    }

    static func folded(_ value: StoredValue) -> StoredValue {
        if case .text(let utf8) = value {
            .string(String(decoding: utf8, as: UTF8.self).lowercased())
        } else {
            value
        }
    }
}
