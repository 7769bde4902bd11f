// A version counts the changes of a record in the store. It is raised when changes are written to the store: here for
// the writes of a transaction, and in the merge of a save. In a context a record keeps the version it was read with,
// however often it is changed, so that the save can compare it with the store's. Delete rules, which the store applies
// itself, and SQL raise no version.

extension Context {
    /// Completes the encoded row from the record that it replaces: keeps its time of creation if the row has none,
    /// compares the versions, and sets the next version if the record changes.
    ///
    /// - Throws: `mergeConflict` if the versions differ, `overflow` if there is no next version.
    @usableFromInline func takeVersion(_ entity: Int) throws {
        let described = schema.entities[entity]
        if let position = types.creationTime(of: entity) { try keepTime(at: position, entity, described) }
        guard let position = described.versionPosition else { return }
        let next: Int64? = try rowWriter.pointee.withRow { (row: borrowing Row) throws in
            guard let old = try writer.find(row[described.keyPosition], in: entity) else { return nil }
            guard areSame(old[position], row[position]) else { throw described.versionConflict() }
            guard raisesVersions else { return nil }
            for other in described.attributes.indices where !areSame(old[other], row[other]) {
                return try described.nextVersion(after: old[position], at: position)
            }
            return nil
        }
        if let next { try rowWriter.pointee.set(.integer(next), at: position) }
    }

    private func keepTime(at position: Int, _ entity: Int, _ described: Entity) throws {
        let time: StoredValue? = try rowWriter.pointee.withRow { (row: borrowing Row) throws in
            guard row[position].kind == .null, let old = try writer.find(row[described.keyPosition], in: entity) else {
                return nil
            }
            return StoredValue(old[position])
        }
        if let time { try time.encode(into: &rowWriter.pointee, at: position) }
    }

    /// The record with its version in the store.
    @usableFromInline func withVersion<R: Record>(_ record: R) throws -> R {
        guard R.entity.version != nil else { return record }
        return try find(R.self, record.id) ?? record
    }

    /// The assignments, with one that raises the version.
    ///
    /// - Throws: `invalidQuery` if the assignments contain the version.
    func withVersion(_ values: [Assignment], _ entity: Entity) throws -> [Assignment] {
        guard hasVersions, !values.isEmpty, let position = entity.versionPosition else { return values }
        guard !values.contains(where: { $0.position == position }) else {
            throw GranaryError(
                .invalidQuery,
                "The version of \(entity.name) is raised by Granary and cannot be set. Leave it out.",
                entity: entity.name, attributes: [entity.attributes[position].name])
        }
        return raisesVersions
            ? values + [Assignment(position: position, value: .integer(1), operation: .add)] : values
    }
}

extension Entity {
    /// The version after a change.
    ///
    /// - Throws: `overflow` if the attribute can hold no greater version.
    func nextVersion(after version: Cell, at position: Int) throws -> Int64? {
        guard case .integer(let next) = try sum(of: version, adding: .integer(1), at: position) else { return nil }
        return next
    }

    /// A row with the version of another row.
    func withVersion(of other: StoredRow?, _ row: StoredRow) -> StoredRow {
        guard let position = versionPosition, let other, !areSame(row[position], other[position]) else { return row }
        return row.setting([Assignment(position: position, value: other.value(at: position))])
    }

    fileprivate func versionConflict() -> GranaryError {
        GranaryError(
            .mergeConflict,
            "The record of \(name) is not of the version that the store has: it was changed since it was read. Read it again and change that, or use update(_:from:).",
            entity: name, attributes: version.map { [$0] } ?? [])
    }
}
