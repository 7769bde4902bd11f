import GranaryCore

extension ImportRun {
    /// Imports what had to wait, deletes what the source does not have, and reports what is missing.
    func finish(in context: Context) throws {
        // Each round may bring what others wait for. Objects that need each other are written together: if a round in batches
        // brings nothing, the next one is one batch.
        var isWhole = false
        while !heldObjects.isEmpty {
            let round = heldObjects.takeAll()
            let size = isWhole ? round.count : max(1, importer.batchSize)
            for start in stride(from: 0, to: round.count, by: size) {
                try add(Array(round[start..<min(start + size, round.count)]), in: context)
            }
            if isLast { break }
            let isStuck = heldObjects.objects.count == round.count
            isLast = isStuck && (isWhole || round.count <= size)
            isWhole = isStuck
        }
        isLast = true
        reportUnusedPaths()
        try connectPending(in: context)
        try connectWaiting(in: context)
        try relateWaiting(in: context)
        try callLateHooks(in: context)
        try endUnlisted(in: context)
        try checkCancellation()
        guard account.report.allowsDeletion else {
            if account.report.failed == 0, mirrors || importer.tombstones != nil { noteNotDeletedAfterFailure() }
            return
        }
        if case .mirror(let query) = importer.policy {
            if account.knowsAll { try deleteAllElse(query, in: context) } else { noteNotDeleted() }
        }
        if let tombstones = importer.tombstones { try deleteMarked(tombstones, in: context) }
    }

    /// Deletes the records that the source marks as deleted.
    private func deleteMarked(_ tombstones: AnyRequest, in context: Context) throws {
        let request = try FetchRequest(tombstones, in: schema)
        if request.entity == top {
            let position = schema.entities[top].keyPosition
            let cursor = try context.rows(request)
            while let row = try cursor.next() { account.report.deletedKeys.append(StoredValue(row[position])) }
        }
        account.report.deleted += try context.deleteAll(request)
    }

    private func noteNotDeleted() {
        let entity = schema.entities[top]
        let error = GranaryError(
            .required,
            "An object that a hook skipped does not tell which \(entity.name) it is, so none was deleted. Give each object its key.",
            entity: entity.name)
        account.report.add(ImportIssue(kind: .notDeleted, path: "$", line: nil, error: error))
    }

    /// Says why nothing is deleted although each object was imported.
    private func noteNotDeletedAfterFailure() {
        let entity = schema.entities[top]
        let error = GranaryError(
            .required,
            "No \(entity.name) was deleted, because a relationship that has waited for a later object could not be imported. Correct it, and import again.",
            entity: entity.name)
        account.report.add(ImportIssue(kind: .notDeleted, path: "$", line: nil, error: error))
    }

    /// Does something for each of several. Where failures are reported, what fails is left out.
    func forEach<T>(
        _ parts: [T], in context: Context, at place: (T) -> ImportPlace, _ body: ([T]) throws -> Void
    ) throws {
        try checkCancellation()
        guard importer.failures == .report else { return try body(parts) }
        do {
            try counted(in: context) { try body(parts) }
        } catch let error as GranaryError where !error.endsImport {
            for part in parts {
                do {
                    try counted(in: context) { try body([part]) }
                } catch let error as GranaryError where !error.endsImport {
                    let place = place(part)
                    account.report.failedLate += 1
                    account.report.add(ImportIssue(kind: .valueKept, path: place.path, line: place.line, error: error))
                }
            }
        }
    }

    private func connectWaiting(in context: Context) throws {
        let references = waiting.referencesInOrder
        for part in references.chunks() {
            try forEach(part, in: context, at: \.place) { try connect($0, in: context) }
        }
    }

    private func connect(_ references: [WaitingReference], in context: Context) throws {
        let found = try find(references.map { (entity: $0.target, name: $0.name) }, in: context)
        for (reference, key) in zip(references, found) {
            let plan = try plan(reference.owner.entity)
            let attribute = plan.entity.attributes[reference.owner.position]
            if key == nil, reference.isKept {
                try keep(reference, in: context)
                continue
            }
            try forgetPending(attribute.knownNames, of: [reference.owner.key], plan, in: context)
            if let key {
                try connect(plan, reference.owner.key, reference.owner.position, to: key, in: context)
                countAsUpdated(reference.owner.entity, reference.owner.key)
            } else {
                let error = dangling(plan, reference.owner.position, reference.name, reference.target)
                try keepValue(error, attribute.name, at: reference.place)
            }
        }
    }

    /// The keys of records that are named; nil of those that do not exist.
    func find(
        _ wanted: [(entity: Int, name: NamedRecord)], in context: Context
    ) throws -> [StoredValue?] {
        var keys = [StoredValue?](repeating: nil, count: wanted.count)
        let groups = Dictionary(grouping: wanted.indices) { [wanted[$0].entity] + wanted[$0].name.positions }
        for (group, indices) in groups {
            let target = try plan(group[0])
            let found = try existing(
                indices.map { wanted[$0].name.values }, target, at: Array(group.dropFirst()), in: context)
            for index in indices {
                keys[index] = found[wanted[index].name.values]?.value(at: target.entity.keyPosition)
            }
        }
        return keys
    }

    /// Those of several whose records exist. Others may have deleted some since the last commit.
    func present<T>(
        _ parts: [T], in context: Context, of owner: (T) throws -> RecordPlace
    ) throws -> [T] {
        guard importer.commitSize != .max else { return parts }
        let owners = try parts.map(owner)
        var found: Set<RecordPlace> = []
        for (entity, owners) in Dictionary(grouping: owners, by: \.entity) {
            let position = schema.entities[entity].keyPosition
            for keys in owners.map(\.key).chunks() {
                let cursor = try context.rows(
                    FetchRequest(entity: entity, condition: .isOneOf(keys, at: position)))
                while let row = try cursor.next() {
                    found.insert(RecordPlace(entity: entity, key: StoredValue(row[position])))
                }
            }
        }
        return zip(parts, owners).filter { found.contains($0.1) }.map { $0.0 }
    }

    private func relateWaiting(in context: Context) throws {
        let all = waiting.lists.values.sorted { $0.number < $1.number }.flatMap(\.lists)
        let lists = try present(all, in: context) { RecordPlace(entity: $0.owner.entity, key: $0.owner.key) }
        for part in lists.chunks() {
            try forEach(part, in: context, at: \.place) { part in
                batch.waiting = Waiting()
                try relate(part, in: context)
                waiting.take(batch.waiting)
            }
        }
        batch.waiting = Waiting()
    }

    private func relate(_ lists: [WaitingList], in context: Context) throws {
        let wanted = lists.flatMap { list in list.members.map { (entity: list.target, name: $0) } }
        var found = try find(wanted, in: context)[...]
        var settled: [SettledList] = []
        for list in lists {
            let keys = found.prefix(list.members.count)
            found = found.dropFirst(list.members.count)
            var rule = list.rule
            if rule.missing == .keep {
                let missing = zip(list.members, keys).enumerated().compactMap { place, member in
                    member.1 == nil ? (place: place, name: member.0) : nil
                }
                try keep(missing, of: list, in: context)
            } else if keys.contains(nil) {
                rule.policy = .add
                let entity = schema.entities[list.owner.entity]
                let name = entity.relationships[list.owner.relationship].name
                for (member, key) in zip(list.members, keys) where key == nil {
                    try keepValue(missing(entity, name, list.target, member), "", at: list.place)
                }
            }
            settled.append(
                SettledList(
                    owner: list.owner, ownerRow: nil, isNew: false, members: keys.compactMap { $0 }, rule: rule,
                    place: list.place))
        }
        try settle(settled, in: context)
    }

    /// Deletes what lists do not have any more and no other list has got, or ends the relation.
    private func endUnlisted(in context: Context) throws {
        let all = waiting.unlisted.values.sorted { $0.number < $1.number }.map(\.unlisted)
        guard !all.isEmpty else { return }
        guard account.report.allowsDeletion else {
            for unlisted in all {
                let entity = schema.entities[unlisted.owner.entity]
                let name = entity.relationships[unlisted.owner.relationship].name
                let error = GranaryError(
                    .required,
                    "A record that \(entity.name).\(name) does not list any more stays, because an object or a relationship that may list it has failed. Correct it, and import again.",
                    entity: entity.name, attributes: [name])
                account.report.add(
                    ImportIssue(
                        kind: .notDeleted, path: unlisted.place.path, line: unlisted.place.line, error: error))
            }
            return
        }
        for group in Dictionary(grouping: all, by: { [$0.owner.entity, $0.owner.relationship] }).values {
            for part in group.chunks() {
                try forEach(part, in: context, at: \.place) { try end($0, in: context) }
            }
        }
    }

    /// Ends relations, all of one relationship.
    private func end(_ unlisted: [Unlisted], in context: Context) throws {
        guard let first = unlisted.first else { return }
        let entity = schema.entities[first.owner.entity]
        let relationship = entity.relationships[first.owner.relationship]
        let links = try LinkLayout(relationship, in: schema)
        var owners: [StoredValue: StoredValue] = [:]
        let cursor = try context.rows(
            FetchRequest(entity: links.source, condition: .isOneOf(unlisted.map(\.member.key), at: links.member)))
        while let row = try cursor.next() { owners[StoredValue(row[links.member])] = StoredValue(row[links.owner]) }
        for unlisted in unlisted {
            // Of links, none is left; a record that refers to its owner still does.
            let owner = owners[unlisted.member.key]
            guard links.isManyToMany ? owner == nil : owner == unlisted.owner.key else { continue }
            do {
                if unlisted.deletes {
                    if try context.delete(unlisted.member.key, from: links.related) { account.report.deleted += 1 }
                } else {
                    try RelatedRecords<DynamicRecord, DynamicRecord>(of: unlisted.owner.key, relationship)
                        .remove(keys: [unlisted.member.key], in: context)
                }
            } catch {
                throw GranaryError.wrapping(error, entity).at(unlisted.place)
            }
        }
    }

    /// Deletes the records that the source does not have.
    private func deleteAllElse(_ query: AnyRequest?, in context: Context) throws {
        let entity = schema.entities[top]
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
        if !importer.isDryRun { try importer.willDelete?(gone.count, count, report) }
        // Together: records that deny each other's deletion may go at once.
        account.report.deleted += try context.deleteAll(
            FetchRequest(entity: top, condition: .isOneOf(gone, at: entity.keyPosition)))
    }
}
