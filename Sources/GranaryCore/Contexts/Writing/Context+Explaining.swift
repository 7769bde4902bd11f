import GranaryPlatform
import GranaryStoreKit

// A store reports which rule a record breaks. Which other record has the value already, or refers to the record that
// was to be deleted, is looked up here: once for all stores and contexts, and only after a call has failed. Details
// that cannot be found are left out.

extension Context {
    /// The error for a record that could not be written, with the conflicting value and the key of the other record.
    @usableFromInline @inline(never) func explained(
        _ error: any Error, _ row: borrowing Row, _ entity: Int
    ) -> any Error {
        guard var known = error as? GranaryError, known.value == nil, known.entity == schema.entities[entity].name
        else {
            return error
        }
        let described = schema.entities[entity]
        let positions = known.attributes.compactMap { name in described.attributes.firstIndex { $0.name == name } }
        guard !positions.isEmpty, positions.count == known.attributes.count,
            [.uniqueness, .danglingReference].contains(known.code)
        else { return error }
        let stored = StoredRow(row)
        known.value = text(of: positions, stored, described)
        if known.code == .uniqueness, known.key == nil { known.key = holder(of: positions, stored, entity) }
        return known
    }

    /// The error for a deletion that a reference forbids, with the key of the referring record and the record that it
    /// refers to.
    ///
    /// - Parameter doomed: Gives the keys of the records that were to be deleted.
    @inline(never) func explained(
        _ error: any Error, deleting doomed: () throws -> [StoredValue], from entity: Int
    ) -> any Error {
        guard var known = error as? GranaryError, known.code == .deniedDeletion, known.key == nil,
            let source = schema.entities.firstIndex(where: { $0.name == known.entity }),
            let position = schema.entities[source].attributes.firstIndex(where: { [$0.name] == known.attributes }),
            let target = schema.entities[source].attributes[position].reference?.entity,
            let targetPosition = try? schema.position(ofEntity: target),
            let gone = try? goneRecords(with: doomed(), entity),
            let referrer = try? referrer(to: gone, source, position, targetPosition)
        else { return error }
        let keyPosition = schema.entities[source].positionOfKeyInErrors
        known.key = referrer.value(at: keyPosition)
        known.value = text(of: [position], referrer, schema.entities[source])
        return known
    }

    private func text(of positions: [Int], _ row: StoredRow, _ entity: Entity) -> String {
        positions.map { row.value(at: $0).textOfError(as: entity.attributes[$0].type) }.joined(separator: ", ")
            .shortened
    }

    /// The key of another record with the same values of a unique index, or with the same key.
    private func holder(of positions: [Int], _ row: StoredRow, _ entity: Int) -> StoredValue? {
        let described = schema.entities[entity]
        let key = row.value(at: described.keyPosition)
        if positions == [described.keyPosition] { return key }
        let names = positions.map { described.attributes[$0].name }
        guard let index = described.indexes.first(where: { $0.isUnique && $0.attributes == names }) else { return nil }
        let request = FetchRequest(entity: entity, condition: IndexedValues(index, of: described).condition(row))
        guard let rows = try? rows(request) else { return nil }
        while let other = try? rows.next() {
            guard StoredValue(other[described.keyPosition]) == key else {
                return StoredValue(other[described.positionOfKeyInErrors])
            }
        }
        return nil
    }

    /// The records to be deleted, and those that cascades delete with them.
    private func goneRecords(with keys: [StoredValue], _ entity: Int) throws -> Set<RecordChange.Place> {
        var gone = Set(keys.map { RecordChange.Place(entity: entity, key: $0) })
        try EntityRules.all(of: schema).followCascades(from: Array(gone)) { request, _ in
            let keyPosition = schema.entities[request.entity].keyPosition
            var joining: [RecordChange.Place] = []
            let rows = try rows(request)
            while let row = try rows.next() {
                let place = RecordChange.Place(entity: request.entity, key: StoredValue(row[keyPosition]))
                if gone.insert(place).inserted { joining.append(place) }
            }
            return joining
        }
        return gone
    }

    /// The first record that is not deleted and whose reference names a deleted record.
    private func referrer(
        to gone: Set<RecordChange.Place>, _ source: Int, _ position: Int, _ target: Int
    ) throws -> StoredRow? {
        let keys = gone.filter { $0.entity == target }.map(\.key).sorted()
        let keyPosition = schema.entities[source].keyPosition
        for part in keys.chunks(of: PlacedDeletion.together) {
            let rows = try rows(FetchRequest(entity: source, condition: .isListed(part, at: position)))
            while let row = try rows.next() {
                let place = RecordChange.Place(entity: source, key: StoredValue(row[keyPosition]))
                if !gone.contains(place) { return StoredRow(row) }
            }
        }
        return nil
    }
}
