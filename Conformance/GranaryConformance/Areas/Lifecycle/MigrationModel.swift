import ConformanceKit
import Foundation
import GranaryCore

/// Records by the names of entities and attributes, and what changes do to them.
struct MigrationModel {
    var random: SeededGenerator
    var entities: [Entity] = []
    /// By entity, by key.
    var records: [String: [StoredValue: [String: StoredValue]]] = [:]
    var changes: [String] = []
    var mustFail = false
    /// The steps that the store has taken.
    var steps: [MigrationStep] = []
    var nameCount = 0

    static let types: [AttributeType] = [.int8, .int32, .int64, .double, .string, .bool, .decimal]

    var schema: Schema { Schema(entities: entities) }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...3, using: &random) { addEntity() }
        for entity in entities {
            for key in 0..<Int64.random(in: 0...12, using: &random) {
                var values: [String: StoredValue] = [:]
                for attribute in entity.attributes.dropFirst() {
                    let isNil = attribute.isOptional && Bool.random(using: &random)
                    values[attribute.name] = isNil ? .null : value(attribute.type)
                }
                records[entity.name]?[.integer(key)] = values
            }
        }
        for position in entities.indices where Bool.random(using: &random) {
            addReference(from: position)
        }
    }

    mutating func name() -> String {
        nameCount += 1
        return "n\(nameCount)"
    }

    mutating func value(_ type: AttributeType) -> StoredValue {
        switch type {
        case .int8: .integer(Int64.random(in: -128...127, using: &random))
        case .int32: .integer(Int64.random(in: -1000...1000, using: &random))
        case .bool: .integer(Int64.random(in: 0...1, using: &random))
        case .double: .real(Double(Int.random(in: -400...400, using: &random)) / 4)
        case .decimal: MigrationModel.decimal(Int64.random(in: -500...500, using: &random))
        case .string: .string(text())
        default: .integer(Int64.random(in: .min ... .max, using: &random))
        }
    }

    mutating func text() -> String {
        let word = Bool.random(using: &random) ? "x\0é" : "X\0É"
        return Bool.random(using: &random) ? "\(Int.random(in: -9...9, using: &random))" : word
    }
    static func decimal(_ value: Int64) -> StoredValue { (try? StoredValue(encoding: Decimal(value))) ?? .null }

    mutating func attribute(_ name: String) -> Attribute {
        let type = MigrationModel.types.randomElement(using: &random) ?? .int64
        let isOptional = Bool.random(using: &random)
        let hasDefault = !isOptional || Bool.random(using: &random)
        return Attribute(name, type, isOptional: isOptional, defaultValue: hasDefault ? value(type) : nil)
    }

    mutating func addEntity() {
        var entity = Entity(name(), key: "id", attributes: [Attribute("id", Int64.self)])
        for _ in 0..<Int.random(in: 1...5, using: &random) { entity.attributes.append(attribute(name())) }
        records[entity.name] = [:]
        entities.append(entity)
    }

    func write(_ tx: Transaction) throws {
        try tx.deferringReferences {
            for (entity, rows) in records {
                for (key, values) in rows {
                    _ = try tx.insert(made(entity, in: tx.schema, values.merging(["id": key]) { $1 }))
                }
            }
        }
    }

    func check(_ stack: Stack) throws {
        for entity in entities {
            let found = try stack.blocking.read { try $0.fetch(Request(entity.name)) }
            let expected = (records[entity.name] ?? [:]).sorted {
                MigrationModel.comesBefore($0.key, $1.key)
            }
            try expectEqual(found.map(\.key), expected.map(\.key), "\(changes)")
            for (record, row) in zip(found, expected) {
                for (name, value) in row.value {
                    try expectEqual(record[name], value, "\(changes): \(entity.name).\(name)")
                }
            }
        }
        try expectEqual(try stack.blocking.verify(), [])
    }

    /// This state with the random numbers that the failed change has used.
    func afterFailure(_ failed: MigrationModel) -> MigrationModel {
        var model = self
        (model.random, model.nameCount) = (failed.random, failed.nameCount)
        model.changes = []
        return model
    }

    /// Makes a few changes, and returns the plan that allows them.
    mutating func change(named step: String) -> MigrationPlan {
        (changes, mustFail) = ([], false)
        var taken = MigrationStep.inferred(step)
        for entity in entities.indices { entities[entity] = MigrationModel.withoutOldNames(entities[entity]) }
        var touched: Set<String> = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard let position = entities.indices.randomElement(using: &random) else { break }
            let entity = entities[position].name
            let places = entities[position].attributes.indices.dropFirst()
            guard let place = places.randomElement(using: &random) else { continue }
            let attribute = entities[position].attributes[place]
            switch Int.random(in: 0..<14, using: &random) {
            case 0:
                let added = self.attribute(name())
                entities[position].attributes.append(added)
                set(added.name, of: entity) { _ in added.defaultValue ?? .null }
                touched.insert("\(entity).\(added.name)")
            case 1 where !touched.contains("\(entity).\(attribute.name)"):
                entities[position].attributes.remove(at: place)
                entities[position].indexes.removeAll { $0.attributes.contains(attribute.name) }
                taken = taken.dropping("\(entity).\(attribute.name)")
                for key in records[entity]?.keys.map({ $0 }) ?? [] { records[entity]?[key]?[attribute.name] = nil }
                changes.append("\(entity).\(attribute.name) dropped")
                continue
            case 2 where touched.insert("\(entity).\(attribute.name)").inserted:
                let new = name()
                entities[position].attributes[place] = MigrationModel.renamed(attribute, to: new)
                entities[position].indexes.removeAll { $0.attributes.contains(attribute.name) }
                for key in records[entity]?.keys.map({ $0 }) ?? [] {
                    let value = records[entity]?[key]?.removeValue(forKey: attribute.name)
                    records[entity]?[key]?[new] = value
                }
                touched.insert("\(entity).\(new)")
                changes.append("\(entity).\(attribute.name) renamed \(new)")
            case 3
            where attribute.reference?.onDelete != .nullify
                && touched.insert("\(entity).\(attribute.name)").inserted:
                let isOptional = !attribute.isOptional
                entities[position].attributes[place].isOptional = isOptional
                changes.append("\(entity).\(attribute.name) optional: \(isOptional)")
                if !isOptional {
                    set(attribute.name, of: entity) { $0 == .null ? attribute.defaultValue : $0 }
                }
            case 4
            where attribute.reference == nil && touched.insert("\(entity).\(attribute.name)").inserted:
                let type = MigrationModel.types.randomElement(using: &random) ?? .int64
                guard MigrationModel.isConvertible(attribute.type, type) else { continue }
                entities[position].attributes[place].type = type
                entities[position].attributes[place].defaultValue = nil
                entities[position].indexes.removeAll { $0.attributes.contains(attribute.name) }
                taken = taken.converting("\(entity).\(attribute.name)")
                changes.append("\(entity).\(attribute.name): \(attribute.type) to \(type)")
                set(attribute.name, of: entity) { MigrationModel.converted($0, attribute.type, type) }
            case 5: changeIndexes(of: position, over: attribute)
            case 6: addEntity()
            case 7
            where entities.count > 1 && !isReferredTo(entity)
                && !touched.contains(where: { $0.hasPrefix("\(entity).") }):
                guard records[entity] != nil, !changes.contains(where: { $0.hasPrefix("\(entity).") }) else { continue }
                entities.remove(at: position)
                records[entity] = nil
                taken = taken.dropping(entity)
                changes.append("\(entity) dropped")
            case 8: addReference(from: position, touched: &touched)
            case 9 where touched.insert("\(entity).\(attribute.name)").inserted:
                changeReference(position, place, &taken)
            case 10 where touched.insert("\(entity).\(attribute.name)").inserted:
                changeTarget(position, place, &taken)
            case 11: changeIndexes(of: position, over: attribute)
            case 12: renameEntity(position, touched: &touched)
            case 13 where !touched.contains("\(entity).id"): makeKeyText(of: position, touched: &touched)
            default: continue
            }
        }
        if hasDanglingReference || hasDuplicates { mustFail = true }
        steps.append(taken)
        return MigrationPlan(all: steps)
    }

    /// Sets an attribute of every record; nil for a value that cannot be.
    mutating func set(_ name: String, of entity: String, _ value: (StoredValue) -> StoredValue?) {
        for key in records[entity]?.keys.map({ $0 }) ?? [] {
            let new = value(records[entity]?[key]?[name] ?? .null)
            if new == nil { mustFail = true }
            records[entity]?[key]?[name] = new
        }
    }

    static func withoutOldNames(_ entity: Entity) -> Entity {
        var entity = entity.renamed()
        for position in entity.attributes.indices {
            let attribute = entity.attributes[position]
            entity.attributes[position] = renamed(attribute, to: attribute.name, isNew: false)
        }
        return entity
    }
    static func renamed(_ attribute: Attribute, to name: String, isNew: Bool = true) -> Attribute {
        let new = Attribute(
            name, attribute.type, isOptional: attribute.isOptional, defaultValue: attribute.defaultValue,
            reference: attribute.reference)
        return isNew ? new.renamed(from: attribute.name) : new
    }

    static func isConvertible(_ old: AttributeType, _ new: AttributeType) -> Bool {
        let isReal: (AttributeType) -> Bool = { $0 == .double || $0 == .decimal }
        if old == new { return false }
        return !(old == .bool && isReal(new)) && !(new == .bool && isReal(old))
    }

    /// The same number or text in another type, by way of whole numbers, halves and quarters, and texts.
    static func converted(_ value: StoredValue, _ old: AttributeType, _ new: AttributeType) -> StoredValue? {
        if value == .null { return .null }
        var text = ""
        switch value {
        case .integer(let number): text = old == .bool ? (number == 1 ? "true" : "false") : "\(number)"
        case .real(let number): text = "\(number)"
        case .text(let utf8): text = String(decoding: utf8, as: UTF8.self)
        default: text = "\((try? value.value(as: Decimal.self)) ?? 0)"
        }
        if new == .string { return .string(text) }
        if new == .bool {
            let words = old == .string ? ["true", "false"] : ["1", "0"]
            return text == words[0] ? .integer(1) : text == words[1] ? .integer(0) : nil
        }
        if old == .bool { text = text == "true" ? "1" : "0" }
        guard let number = Double(text) else { return nil }
        switch new {
        case .double:
            // A large integer has no double.
            if Int64(text) != nil, Int64(exactly: number).map({ "\($0)" == text }) != true { return nil }
            return .real(number)
        case .decimal:
            guard let decimal = Decimal(string: text) else { return nil }
            return try? StoredValue(encoding: decimal)
        default:
            let isFraction = text.contains(".") && !text.hasSuffix(".0")
            guard !isFraction, let integer = Int64(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) else {
                return nil
            }
            let range: ClosedRange<Int64> =
                new == .int8 ? -128...127 : new == .int32 ? -2_147_483_648...2_147_483_647 : .min ... .max
            return range.contains(integer) ? .integer(integer) : nil
        }
    }
}
