import GranaryCore

/// How records of one entity are written, computed once per export.
final class ExportPlan {
    /// A member of an object.
    indirect enum Content {
        case attribute(Int)
        case reference(ExportedReference)
        case relationship(ExportedRelationship)
        /// Members that are mapped into a nested object.
        case object([Member])
    }

    struct Member {
        var key: String
        var content: Content
    }

    let position: Int
    let entity: Entity
    let mapping: ImportMapping
    let writers: [ValueWriter]
    private(set) var members: [Member] = []
    /// Whether writing a record reads other records from the store, so that its row must be copied.
    private(set) var asksForOthers = false
    /// The attribute that an import reads from the keys of a dictionary; nil if the mapping has none.
    let dictionaryKey: Int?
    /// The error for writing the records outside of a dictionary; nil if they can be written so.
    private(set) var needsDictionary: GranaryError?

    /// Values for attributes of other records, which are read from them.
    private let destinations: [ImportDestination]

    /// The position of the exported entity.
    private let top: Int

    init(_ position: Int, _ schema: Schema, _ exporter: Exporter, top: Int, isTable: Bool) throws {
        let entity = schema.entities[position]
        self.position = position
        self.entity = entity
        self.top = top
        let mapping = ExportPlan.mapping(of: position, schema, exporter, top)
        self.mapping = mapping
        try mapping.checkPaths(of: entity)
        dictionaryKey = ExportPlan.attributeOfDictionaryKey(entity, mapping)
        destinations = try mapping.destinations(of: entity, in: schema)
        try mapping.checkNames(of: entity)
        writers = entity.attributes.map { ValueWriter($0, mapping) }
        for index in entity.attributes.indices where entity.attributes[index].name != entity.version {
            try add(attribute: index, schema, exporter, isTable: isTable)
        }
        if exporter.relationships != .keys {
            for index in entity.relationships.indices { try add(relationship: index, schema, exporter) }
        }
        let order = mapping.order
        let all = members
        members =
            order.flatMap { key in all.filter { $0.key.hasSameBytes(as: key) } }
            + all.filter { member in !order.contains { $0.hasSameBytes(as: member.key) } }
    }

    private static func mapping(
        of position: Int, _ schema: Schema, _ exporter: Exporter, _ top: Int
    ) -> ImportMapping {
        let name = schema.entities[position].name
        return schema.importMapping(
            of: name, over: exporter.mappings[name], position == top ? exporter.mapping : nil)
    }

    /// The attributes that name a related record, as an import expects them; empty for its key.
    private func naming(
        _ rule: RelationshipRule?, _ related: Int, _ schema: Schema, _ exporter: Exporter
    ) throws -> [Int] {
        var names = rule?.identity ?? []
        if names.isEmpty { names = ExportPlan.mapping(of: related, schema, exporter, top).identity ?? [] }
        let entity = schema.entities[related]
        return names == [entity.key] ? [] : try names.map { try entity.position(ofAttribute: $0) }
    }

    private func add(attribute index: Int, _ schema: Schema, _ exporter: Exporter, isTable: Bool) throws {
        let attribute = entity.attributes[index]
        guard let target = attribute.reference?.entity else {
            do {
                guard let path = try path(of: attribute.name, isTable) else { return }
                try insert(.attribute(index), at: path)
            } catch let error as GranaryError where index == dictionaryKey && !isTable {
                needsDictionary = error
            }
            return
        }
        let related = try schema.position(ofEntity: target)
        var reference = ExportedReference(attribute: index, related: related, naming: [])
        reference.leadsBack = schema.entities[related].relationships.indices.filter {
            let other = schema.entities[related].relationships[$0]
            return other.through == nil && other.entity == entity.name && other.attribute == attribute.name
        }
        if let connection = mapping.connections[attribute.name] {
            for (path, name) in connection.pairs {
                let keys = try connectingKeys(path, attribute.name, isTable)
                reference.naming = [try schema.entities[related].position(ofAttribute: name)]
                reference.isConnection = true
                try insert(.reference(reference), at: keys)
                asksForOthers = true
            }
            return
        }
        for part in destinations.filter({ $0.position == index }).flatMap(\.parts) {
            let target = schema.entities[related]
            let position = target.attributes.firstIndex { part.names == [$0.name] && $0.reference == nil }
            guard let position else {
                throw unsupported(
                    "\(part.name) is read from \(part.paths.map(\.description).joined(separator: ", ")), and exports write only attributes of the record that a reference leads to, which are not references. Export with a mapping without it.",
                    attribute.name)
            }
            let writable = part.paths.first { $0.plainKeys.map { !isTable || $0.count == 1 } ?? false }
            guard let path = writable ?? part.paths.first else { continue }
            var value = reference
            value.naming = [position]
            value.isConnection = true
            try insert(.reference(value), at: try connectingKeys(path, part.name, isTable))
            asksForOthers = true
        }
        guard let path = try path(of: attribute.name, isTable) else { return }
        let rule = mapping.relationships[attribute.name]
        // If the reference allows a missing record, its key is imported unchanged.
        if attribute.reference?.onDelete != .noAction || !(rule?.identity ?? []).isEmpty {
            reference.naming = try naming(rule, related, schema, exporter)
        }
        guard !isTable || reference.naming.count <= 1 else {
            throw unsupported(
                "\(attribute.name) names records by several attributes, which CSV has no form for. Export JSON.",
                attribute.name)
        }
        if !reference.naming.isEmpty || exporter.relationships.depth > 0 { asksForOthers = true }
        try insert(.reference(reference), at: path)
    }

    /// The keys under which a connecting value is written, so that an import connects the relationship.
    private func connectingKeys(_ path: ImportPath, _ name: String, _ isTable: Bool) throws -> [String] {
        guard let keys = path.plainKeys, !isTable || keys.count == 1 else {
            throw unsupported(
                "\(name) is connected by \(path), where \(isTable ? "CSV has no value" : "no value can be written"). Connect it by a key\(isTable ? " of the row" : "") for exports, or ignore it.",
                name)
        }
        return keys
    }

    private func add(relationship index: Int, _ schema: Schema, _ exporter: Exporter) throws {
        let relationship = entity.relationships[index]
        if let connection = mapping.connections[relationship.name] {
            let links = try LinkLayout(relationship, in: schema)
            for (path, name) in connection.pairs {
                // One array for each attribute: the elements with the same index together name one record.
                var exported = ExportedRelationship(
                    index: index, links: links,
                    naming: [try schema.entities[links.related].position(ofAttribute: name)])
                exported.isConnection = true
                asksForOthers = true
                try insert(.relationship(exported), at: try connectingKeys(path, relationship.name, false))
            }
            return
        }
        guard let path = try path(of: relationship.name, false) else { return }
        let rule = mapping.relationships[relationship.name] ?? RelationshipRule()
        let links = try LinkLayout(relationship, in: schema)
        let related = schema.entities[links.related]
        var exported = ExportedRelationship(
            index: index, links: links, naming: try naming(rule, links.related, schema, exporter))
        if links.isManyToMany {
            exported.leadsBack = related.relationships.indices.filter {
                let other = related.relationships[$0]
                return other.entity == relationship.entity && other.attribute == relationship.through
                    && other.through == relationship.attribute
            }
        } else {
            exported.leadsBackBy = links.owner
        }
        if rule.isKeyed, exporter.relationships.depth > 0 {
            let mapping = ExportPlan.mapping(of: links.related, schema, exporter, top)
            exported.dictionaryKey = try ExportPlan.requireDictionaryKey(related, mapping)
        }
        asksForOthers = true
        try insert(.relationship(exported), at: path)
    }

    /// The path of keys to an attribute or relationship; nil if it is not exported.
    private func path(of name: String, _ isTable: Bool) throws -> [String]? {
        var path: [String]?
        if let paths = mapping.paths[name] {
            path = paths.lazy.compactMap(\.plainKeys).first { !isTable || $0.count == 1 }
            guard path != nil || mapping.infersKeys else {
                throw unsupported(
                    "\(name) is read from \(paths.map(\.description).joined(separator: ", ")), where it cannot be written. Map it from a key for exports.",
                    name)
            }
        } else if !mapping.infersKeys {
            return nil
        }
        let keys = path ?? [name]
        let isIgnored = mapping.ignored.contains { ignored in
            ignored.plainKeys.map { keys.starts(with: $0, by: { $0.hasSameBytes(as: $1) }) } ?? false
        }
        return isIgnored ? nil : keys
    }

    private func insert(_ content: Content, at path: [String]) throws {
        guard ExportPlan.insert(content, at: path[...], into: &members) else {
            throw unsupported(
                "Two attributes or relationships would be written as \"\(path.joined(separator: "."))\". Map one of them from another key.",
                path.last ?? "")
        }
    }

    /// Returns false if another member already has this place.
    private static func insert(
        _ content: Content, at path: ArraySlice<String>, into members: inout [Member]
    ) -> Bool {
        guard let key = path.first else { return false }
        let found = members.firstIndex { $0.key.hasSameBytes(as: key) }
        guard path.count > 1 else {
            guard found == nil else { return false }
            members.append(Member(key: key, content: content))
            return true
        }
        var inner: [Member] = []
        if let found {
            guard case .object(let members) = members[found].content else { return false }
            inner = members
        }
        guard insert(content, at: path.dropFirst(), into: &inner) else { return false }
        if let found {
            members[found].content = .object(inner)
        } else {
            members.append(Member(key: key, content: .object(inner)))
        }
        return true
    }

    private func unsupported(_ message: String, _ name: String) -> GranaryError {
        GranaryError(.unsupported, "\(entity.name): \(message)", entity: entity.name, attributes: [name])
    }
}

/// A reference to export.
struct ExportedReference {
    let attribute: Int
    /// The position of the target entity.
    let related: Int
    /// The attributes of the related record that name it; empty for its key.
    var naming: [Int]
    /// Whether the value is one of several that together name the record.
    var isConnection = false
    /// The relationships of the related record that lead back to this record.
    var leadsBack: [Int] = []
}

/// A to-many relationship to export.
struct ExportedRelationship {
    let index: Int
    let links: LinkLayout
    /// The attributes of a related record that name it; empty for its key.
    var naming: [Int]
    /// The relationships of a related record that lead back to this record.
    var leadsBack: [Int] = []
    /// The reference of a related record that leads back to this record.
    var leadsBackBy: Int?
    /// The attribute whose values are the keys of the related records in a dictionary; nil if they are written as an
    /// array.
    var dictionaryKey: Int?
    /// Whether only names are written, as values that connect the list.
    var isConnection = false
}

extension ExportedRelationships {
    /// How many levels of objects are written within a record.
    var depth: Int { if case .nested(let depth) = self { max(0, depth) } else { 0 } }
}

extension ImportPath {
    /// The keys, if all steps of the path are keys.
    var plainKeys: [String]? {
        var keys: [String] = []
        for step in steps {
            guard case .key(let key) = step else { return nil }
            keys.append(key)
        }
        return keys.isEmpty ? nil : keys
    }
}
