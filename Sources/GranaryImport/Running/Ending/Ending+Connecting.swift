import GranaryCore

// Relationships that are connected when all records are there: by values of attributes that do not identify records, and through
// paths of the records themselves.

extension Ending {
    mutating func connectFinally() throws {
        for group in session.connecting.takeAll(plans) {
            guard let first = group.first else { continue }
            let plan = try plans.plan(first.entity)
            let connection = plan.finalConnections[first.connection]
            let records = try session.present(group) { RecordPlace(entity: $0.entity, key: $0.key) }
            for part in records.chunks() {
                try session.forEach(part, at: \.place) { part in
                    let targets =
                        switch connection.way {
                        case .search(let positions, let candidates):
                            try found(part, connection, plan, positions, candidates)
                        case .path(let steps): try reached(part.map(\.key), by: steps)
                        }
                    switch connection.slot {
                    case .reference(let position): try connect(part, targets, position, plan)
                    case .list(let index): waiting.take(try relate(part, targets, index, plan))
                    }
                }
            }
        }
    }

    /// The records that some records are connected with by values.
    ///
    /// - Returns: For each record the keys, and whether one that it names is missing; nil if its relationship stays as it is.
    private func found(
        _ records: [ConnectedRecord], _ connection: FinalConnection, _ plan: EntityPlan, _ positions: [Int],
        _ candidates: AnyRequest
    ) throws -> [(keys: [StoredValue], isMissing: Bool)?] {
        let target = schema.entities[connection.target]
        let wanted = Set(records.flatMap(\.names))
        var keys: [[StoredValue]: [StoredValue]] = [:]
        if !wanted.isEmpty {
            let rows = AnyRequest(candidates.entity, where: candidates.condition, order: candidates.order)
            var request = try FetchRequest(rows, in: schema)
            let values = positions.enumerated().map { index, position in
                ResolvedCondition.isOneOf(wanted.map { $0[index] }, at: position)
            }
            request.condition = .all(values + (request.condition.map { [$0] } ?? []))
            let cursor = try context.rows(request)
            while let row = try cursor.next() {
                let name = positions.map { StoredValue(row[$0]) }
                if wanted.contains(name) { keys[name, default: []].append(StoredValue(row[target.keyPosition])) }
            }
        }
        return try records.map { record -> (keys: [StoredValue], isMissing: Bool)? in
            let found = record.names.map { keys[$0] ?? [] }
            guard let missing = found.firstIndex(where: \.isEmpty), connection.missing != .ignore else {
                return (unique(found.flatMap(\.self)), false)
            }
            let values = zip(positions, record.names[missing]).map { $1.textOfError(as: target.attributes[$0].type) }
            let error = GranaryError(
                .danglingReference,
                "No \(target.name) that \(plan.entity.name).\(connection.name) may be connected with has \(connection.names(of: positions, target)) of the object. Import it first, correct the values, or let missing be ignore.",
                entity: plan.entity.name, attributes: [connection.name]
            ).with(value: values.joined(separator: ", "))
            try account.keepValue(error, connection.name, at: record.place)
            guard case .list = connection.slot else { return nil }
            return (unique(found.flatMap(\.self)), true)
        }
    }

    /// The keys that a path leads to, for each record.
    private func reached(
        _ records: [StoredValue], by steps: [FinalConnection.Step]
    ) throws -> [(keys: [StoredValue], isMissing: Bool)?] {
        var reached = records.map { [$0] }
        for step in steps {
            var next: [StoredValue: [StoredValue]] = [:]
            for keys in unique(reached.flatMap(\.self)).chunks() {
                var request: FetchRequest
                let (from, to): (Int, Int)
                switch step {
                case .reference(let entity, let position):
                    (from, to) = (schema.entities[entity].keyPosition, position)
                    request = FetchRequest(entity: entity, condition: .isOneOf(keys, at: from))
                case .list(let links):
                    (from, to) = (links.owner, links.member)
                    request = FetchRequest(entity: links.source, condition: .isOneOf(keys, at: from))
                    request.order = links.place.map { [.init(position: $0, isDescending: false)] } ?? []
                }
                let cursor = try context.rows(request)
                while let row = try cursor.next() {
                    if !row[to].isNull { next[StoredValue(row[from]), default: []].append(StoredValue(row[to])) }
                }
            }
            reached = reached.map { keys in unique(keys.flatMap { next[$0] ?? [] }) }
        }
        return reached.map { ($0, false) }
    }

    private func unique(_ keys: [StoredValue]) -> [StoredValue] {
        var known: Set<StoredValue> = []
        return keys.filter { known.insert($0).inserted }
    }

    /// Sets the reference of some records, where that changes it.
    private func connect(
        _ records: [ConnectedRecord], _ targets: [(keys: [StoredValue], isMissing: Bool)?], _ position: Int,
        _ plan: EntityPlan
    ) throws {
        let keyPosition = plan.entity.keyPosition
        var current: [StoredValue: StoredValue] = [:]
        let cursor = try context.rows(
            FetchRequest(entity: plan.position, condition: .isOneOf(records.map(\.key), at: keyPosition)))
        while let row = try cursor.next() { current[StoredValue(row[keyPosition])] = StoredValue(row[position]) }
        for (record, target) in zip(records, targets) {
            guard let target, let former = current[record.key] else { continue }
            let key = target.keys.first ?? .null
            guard key != former, key != .null || plan.entity.attributes[position].isOptional else { continue }
            do {
                try session.connect(position, of: record.key, plan, to: key, record.place)
            } catch {
                throw GranaryError.wrapping(error, plan.entity).at(record.place)
            }
            session.countAsUpdated(plan.position, record.key)
        }
    }

    private func relate(
        _ records: [ConnectedRecord], _ targets: [(keys: [StoredValue], isMissing: Bool)?], _ index: Int,
        _ plan: EntityPlan
    ) throws -> Waiting {
        let lists = zip(records, targets).compactMap { record, target -> SettledList? in
            guard let target else { return nil }
            var rule = plan.relationshipRules[index]
            // What is related already may be what is missing.
            if target.isMissing { rule.policy = .add }
            return SettledList(
                owner: ListPlace(entity: plan.position, relationship: index, key: record.key), ownerRow: nil,
                isNew: false, members: target.keys, rule: rule, place: record.place)
        }
        var relating = Relating(session: session, isLast: true, hasWaiting: !waiting.isEmpty, outcome: BatchOutcome())
        try relating.settle(lists)
        return relating.outcome.waiting
    }
}

extension FinalConnection {
    /// The attributes by which a search looks for records, as an error names them.
    fileprivate func names(of positions: [Int], _ target: Entity) -> String {
        "the \(positions.map { target.attributes[$0].name }.joined(separator: " and the "))"
    }
}
