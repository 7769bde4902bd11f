import GranaryCore

// Values of an object that connect a relationship become objects which only name records: one object of a reference, and one for
// each member of a list.

extension Staging {
    /// Takes the relationships that are connected by values of the object itself.
    ///
    /// - Parameters:
    ///   - whole: The object without what is taken over.
    ///   - given: The object as conditions see it.
    mutating func takeConnections(
        of whole: ImportValue, _ given: ImportValue, _ object: inout SourceObject
    ) throws {
        let (plan, place) = (object.plan, object.place)
        for (slot, name, connection) in plan.connections {
            let names: ImportValue?
            switch slot {
            case .relationship, .inferredRelationship:
                guard connection.condition?(given, place) ?? true else { continue }
                names = try members(of: connection, name, whole, plan, place)
            case .attribute, .inferredAttribute, .passedOver, .unknown:
                names = record(of: connection, whole, place)
                guard names != nil, connection.condition?(given, place) ?? true else { continue }
            }
            guard let names else { continue }
            object.removeRelated(name)
            if !plan.absent.isEmpty { mentioned.insert(name) }
            if let index = plan.finalConnections.firstIndex(where: { $0.isSearch && $0.name.hasSameBytes(as: name) }) {
                try takeSearch(index, names, &object)
                continue
            }
            object.related.append(Member(slot, name, names))
        }
    }

    /// What names the record of a reference; nil if the source has none of the values.
    private func record(
        of connection: ImportConnection, _ whole: ImportValue, _ place: ImportPlace
    ) -> ImportValue? {
        let members = connection.pairs.compactMap { path, attribute in
            path.value(in: whole, at: place).map { ImportObject.Member(attribute, $0) }
        }
        return members.contains { $0.value != .null } ? .object(ImportObject(members)) : nil
    }

    /// What names the records of a list; nil if the source has none of the values, or if they do not fit together.
    private func members(
        of connection: ImportConnection, _ name: String, _ whole: ImportValue, _ plan: EntityPlan, _ place: ImportPlace
    ) throws -> ImportValue? {
        let columns = connection.pairs.compactMap { path, attribute -> (attribute: String, value: ImportValue)? in
            guard let value = path.column(in: whole, at: place), value != .null else { return nil }
            return (attribute, value)
        }
        guard !columns.isEmpty else { return nil }
        let lists = columns.compactMap { column -> (attribute: String, count: Int)? in
            if case .array(let elements) = column.value { (column.attribute, elements.count) } else { nil }
        }
        let count = lists.first?.count ?? 1
        if let first = lists.first, let other = lists.first(where: { $0.count != count }) {
            let reason =
                "names records by \(first.count) values of \(first.attribute) and \(other.count) of \(other.attribute)"
            let value = columns.first { $0.attribute == first.attribute }?.value ?? .null
            try account.keepValue(RefusedValue(reason, value, name), of: plan.entity, at: place)
            return nil
        }
        return .array(
            (0..<count).map { index in
                var isNamed = lists.isEmpty
                let members = columns.compactMap { attribute, value -> ImportObject.Member? in
                    guard case .array(let elements) = value else { return ImportObject.Member(attribute, value) }
                    guard elements[index] != .null else { return nil }
                    isNamed = true
                    return ImportObject.Member(attribute, elements[index])
                }
                return isNamed ? .object(ImportObject(members)) : .null
            })
    }
}
