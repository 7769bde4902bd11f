import GranaryCore

extension Ending {
    /// Deletes the records that references have left, and that no record refers to by the same attribute.
    func endReplaced() throws {
        let all = session.replaced.all
        guard !all.isEmpty else { return }
        guard account.report.allowsDeletion else {
            for replaced in all {
                let entity = schema.entities[replaced.entity]
                let name = entity.attributes[replaced.position].name
                let error = GranaryError(
                    .required,
                    "A record that \(entity.name).\(name) does not refer to any more stays, because an object or a relationship that may refer to it has failed. Correct it, and import again.",
                    entity: entity.name, attributes: [name])
                account.report.add(
                    ImportIssue(
                        kind: .notDeleted, path: replaced.place.path, line: replaced.place.line, error: error))
            }
            return
        }
        for group in Dictionary(grouping: all, by: { [$0.entity, $0.position] }).sorted(by: {
            $0.key.lexicographicallyPrecedes($1.key)
        }) {
            for part in group.value.chunks() { try session.forEach(part, at: \.place) { try delete($0) } }
        }
    }

    /// Deletes replaced records, all of one reference.
    private func delete(_ replaced: [ReplacedRecord]) throws {
        guard let first = replaced.first, let target = try plans.plan(first.entity).targets[first.position] else {
            return
        }
        var referred: Set<StoredValue> = []
        let cursor = try context.rows(
            FetchRequest(entity: first.entity, condition: .isOneOf(replaced.map(\.key), at: first.position)))
        while let row = try cursor.next() { referred.insert(StoredValue(row[first.position])) }
        for record in replaced where !referred.contains(record.key) {
            do {
                if try context.delete(record.key, from: target) { account.report.deleted += 1 }
            } catch {
                throw GranaryError.wrapping(error, schema.entities[first.entity]).at(record.place)
            }
        }
    }

    /// Deletes what the source does not have, and what it marks as deleted.
    func deleteRest() throws {
        let importer = plans.importer
        guard account.report.allowsDeletion else {
            if account.report.failed == 0, plans.mirrors || importer.tombstones != nil { noteNotDeletedAfterFailure() }
            return
        }
        if case .mirror(let query) = importer.policy {
            if account.knowsAll { try deleteAllElse(query) } else { noteNotDeleted() }
        }
        if let tombstones = importer.tombstones { try deleteMarked(tombstones) }
    }

    /// Deletes the records that the source marks as deleted.
    private func deleteMarked(_ tombstones: AnyRequest) throws {
        let request = try FetchRequest(tombstones, in: schema)
        if request.entity == plans.top {
            let position = schema.entities[plans.top].keyPosition
            let cursor = try context.rows(request)
            while let row = try cursor.next() { account.report.deletedKeys.append(StoredValue(row[position])) }
        }
        account.report.deleted += try context.deleteAll(request)
    }

    private func noteNotDeleted() {
        let entity = schema.entities[plans.top]
        let error = GranaryError(
            .required,
            "An object that a hook skipped does not tell which \(entity.name) it is, so none was deleted. Give each object its key.",
            entity: entity.name)
        account.report.add(ImportIssue(kind: .notDeleted, path: "$", line: nil, error: error))
    }

    /// Says why nothing is deleted although each object was imported.
    private func noteNotDeletedAfterFailure() {
        let entity = schema.entities[plans.top]
        let error = GranaryError(
            .required,
            "No \(entity.name) was deleted, because a relationship that has waited for a later object could not be imported. Correct it, and import again.",
            entity: entity.name)
        account.report.add(ImportIssue(kind: .notDeleted, path: "$", line: nil, error: error))
    }

    /// Deletes the records that the source does not have.
    private func deleteAllElse(_ query: AnyRequest?) throws {
        let entity = schema.entities[plans.top]
        let all = query ?? AnyRequest(entity.name)
        guard all.entity.hasSameBytes(as: entity.name) else {
            throw GranaryError(
                .invalidQuery,
                "The import of \(entity.name) cannot mirror within records of \(all.entity). Give a query of \(entity.name).",
                entity: entity.name)
        }
        var gone: [StoredValue] = []
        var count = 0
        let cursor = try context.rows(try FetchRequest(all, in: schema))
        while let row = try cursor.next() {
            let key = StoredValue(row[entity.keyPosition])
            count += 1
            if !account.touched.contains(key) { gone.append(key) }
        }
        account.report.deletedKeys = gone
        guard !gone.isEmpty else { return }
        if !plans.importer.isDryRun { try plans.importer.willDelete?(gone.count, count, account.report) }
        // Together: records that deny each other's deletion may go at once.
        account.report.deleted += try context.deleteAll(
            FetchRequest(entity: plans.top, condition: .isOneOf(gone, at: entity.keyPosition)))
    }
}
