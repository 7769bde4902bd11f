import GranaryCore

extension Ending {
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
