/// The records of a ``FetchedResults`` at one moment, section by section.
struct FetchedRows<Fetched: Sendable>: Sendable {
    /// Records, or tuples of a record and what is loaded with it.
    private(set) var records: [Fetched] = []
    private(set) var rows = KeyedRows()
    private(set) var sections: [FetchedSection] = []
    /// Of each record.
    private(set) var sectionNumbers: [Int] = []

    init() {}

    /// Puts records that come in the query's order, with the names of their sections, into sections: in the order of
    /// their first records.
    ///
    /// - Parameter sectionNames: Nil for one section, also of no records.
    init(_ records: [Fetched], _ rows: KeyedRows, sectionNames: [String]?) {
        guard let sectionNames else {
            (self.records, self.rows) = (records, rows)
            sections = [FetchedSection(name: "", range: records.indices)]
            sectionNumbers = Array(repeating: 0, count: records.count)
            return
        }
        var numbers: [[UInt8]: Int] = [:]
        var names: [String] = []
        var members: [[Int]] = []
        for (place, name) in sectionNames.enumerated() {
            // Names with different bytes are different, even where Swift holds them equal.
            let bytes = Array(name.utf8)
            let number = numbers[bytes] ?? names.count
            if number == names.count {
                numbers[bytes] = number
                names.append(name)
                members.append([])
            }
            members[number].append(place)
        }
        self.records.reserveCapacity(records.count)
        for (number, places) in members.enumerated() {
            let start = self.records.count
            for place in places {
                self.records.append(records[place])
                self.rows.keys.append(rows.keys[place])
                self.rows.hashes.append(rows.hashes[place])
                if !rows.related.isEmpty { self.rows.related.append(rows.related[place]) }
                sectionNumbers.append(number)
            }
            sections.append(FetchedSection(name: names[number], range: start..<self.records.count))
        }
    }

    func path(_ place: Int) -> FetchedPath {
        let section = sectionNumbers[place]
        return FetchedPath(section: section, item: place - sections[section].range.lowerBound)
    }

    /// How the old rows became these.
    func changes(from old: FetchedRows) -> FetchedChanges {
        let ofSections = ListDifference(
            from: old.sections.map { Array($0.name.utf8) }, to: sections.map { Array($0.name.utf8) }
        ) { _, _ in false }
        // A section that is elsewhere among the others is a new one to a list view.
        let gone = Set(ofSections.deletions + ofSections.moves.map(\.from))
        let come = Set(ofSections.insertions + ofSections.moves.map(\.to))
        // Those that stay are in the same order, so the n-th of them is the n-th.
        let stayedOld = old.sections.indices.filter { !gone.contains($0) }
        let stayedNew = sections.indices.filter { !come.contains($0) }
        let follows = Dictionary(uniqueKeysWithValues: zip(stayedOld, stayedNew))
        let isSectioned = old.sections.count > 1 || sections.count > 1 || !gone.isEmpty
        let ofRecords = ListDifference(
            from: old.rows.keys, to: rows.keys,
            movesAnyway: isSectioned ? { follows[old.sectionNumbers[$0]] != sectionNumbers[$1] } : nil
        ) { isUpdated(old, $0, $1) || isRelatedUpdated(old, $0, $1) }
        var changes = FetchedChanges()
        changes.deletedSections = gone.sorted()
        changes.deletedSectionNames = changes.deletedSections.map { old.sections[$0].name }
        changes.insertedSections = come.sorted()
        changes.deletions = ofRecords.deletions.map(old.path)
        changes.deletedKeys = ofRecords.deletions.map { old.rows.keys[$0] }
        changes.insertions = ofRecords.insertions.map(path)
        changes.moves = ofRecords.moves.map { .init(from: old.path($0.from), to: path($0.to)) }
        for update in ofRecords.updates {
            let pair = FetchedChanges.Pair(from: old.path(update.from), to: path(update.to))
            if isUpdated(old, update.from, update.to) {
                changes.updates.append(pair)
            } else {
                changes.relatedUpdates.append(pair)
            }
        }
        return changes
    }

    /// Whether a record has other values than at its old place.
    private func isUpdated(_ old: FetchedRows, _ from: Int, _ to: Int) -> Bool {
        old.rows.hashes[from] != rows.hashes[to]
    }

    /// Whether what is loaded with a record has changed.
    private func isRelatedUpdated(_ old: FetchedRows, _ from: Int, _ to: Int) -> Bool {
        !rows.related.isEmpty && old.rows.related[from] != rows.related[to]
    }
}

/// How records are told what section they are in.
enum SectionNaming<R: Record>: Sendable {
    case none
    case closure(@Sendable (R) -> String)
    case value(AnyExpression)
}

extension ObservedQueries {
    static func sections<R: Record, each L: Loading>(
        _ query: Query<R>, _ naming: SectionNaming<R>, with related: LoadedRelationships<R, repeat each L>
    ) -> ObservedQuery<FetchedRows<(R, repeat (each L).Loaded)>> {
        ObservedQuery { schema, types in
            let position = try types.position(of: R.self, in: schema)
            let footprint = try related.footprint(in: schema, types)
            var request = try FetchRequest(query, in: schema)
            let entity = schema.entities[request.entity]
            var namePosition: Int?
            if case .value(let expression) = naming {
                // Every attribute in its place, and the section's value after them.
                namePosition = entity.attributes.count
                try request.select(
                    entity.attributes.map { AnyExpression.attribute($0.name) } + [expression], isDistinct: false,
                    in: schema)
            }
            let (asked, keyPosition, ownCount) = (request, entity.keyPosition, namePosition)
            // A record with another section is no other record for that.
            return prepared(asked, in: schema, ownCount: ownCount, related: footprint) { observed in
                var batch = observed.batch(of: R.self, position, isWhole: asked.isWhole)
                var rows = KeyedRows()
                var names: [String] = []
                try observed.forEach { row, hash in
                    let record = try R(row: row)
                    switch naming {
                    case .none: break
                    case .closure(let name): names.append(name(record))
                    case .value: names.append(FetchedSection.name(StoredValue(row[ownCount ?? row.count])))
                    }
                    batch.records.append(record)
                    if footprint != nil { batch.keep(row, hash) }
                    rows.keys.append(StoredValue(row[keyPosition]))
                    rows.hashes.append(hash)
                }
                let records = try related.joined(batch, in: observed.context)
                observed.addRelated(of: batch)
                rows.related = batch.hashes?.related ?? []
                if case .none = naming { return FetchedRows(records, rows, sectionNames: nil) }
                return FetchedRows(records, rows, sectionNames: names)
            }
        }
    }
}

extension FetchedSection {
    /// A stored value as a section's name: text as it is, nil as nothing.
    static func name(_ value: StoredValue) -> String {
        switch value {
        case .null: ""
        case .text(let utf8): String(validating: utf8, as: UTF8.self) ?? ""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .bytes: "\(value)"
        }
    }
}
