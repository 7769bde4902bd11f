/// The records of a ``FetchedResults`` at one moment, section by section.
struct FetchedRows<Fetched: Sendable>: Sendable {
    /// Records, or tuples of a record and its loaded related records.
    private(set) var records: [Fetched] = []
    private(set) var rows = KeyedRows()
    private(set) var sections: [FetchedSection] = []
    /// The section number of each record.
    private(set) var sectionNumbers: [Int] = []

    init() {}

    /// Sorts records into sections by their section names. Records come in the query's order, and sections in the order
    /// of their first records.
    ///
    /// - Parameter sectionNames: Nil for a single section, which exists also without records.
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
            // Names with different bytes are different, even if Swift treats them as equal.
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

    /// The difference between the old rows and these.
    func changes(from old: FetchedRows) -> FetchedChanges {
        let ofSections = ListDifference(
            from: old.sections.map { Array($0.name.utf8) }, to: sections.map { Array($0.name.utf8) }
        ) { _, _ in false }
        // A moved section counts as deleted and inserted in a list view.
        let gone = Set(ofSections.deletions + ofSections.moves.map(\.from))
        let come = Set(ofSections.insertions + ofSections.moves.map(\.to))
        // The remaining sections have the same order, so the n-th old one is the n-th new one.
        let stayedOld = old.sections.indices.filter { !gone.contains($0) }
        let stayedNew = sections.indices.filter { !come.contains($0) }
        let follows = Dictionary(uniqueKeysWithValues: zip(stayedOld, stayedNew))
        let isSectioned = old.sections.count > 1 || sections.count > 1 || !gone.isEmpty
        var ofRecords = ListDifference(
            from: old.rows.keys, to: rows.keys,
            movesAnyway: isSectioned ? { follows[old.sectionNumbers[$0]] != sectionNumbers[$1] } : nil
        ) { rows.isUpdated(from: old.rows, $0, $1) }
        let related = ofRecords.separate { rows.isUpdatedItself(from: old.rows, $0, $1) }
        var changes = FetchedChanges()
        changes.deletedSections = gone.sorted()
        changes.deletedSectionNames = changes.deletedSections.map { old.sections[$0].name }
        changes.insertedSections = come.sorted()
        changes.deletions = ofRecords.deletions.map(old.path)
        changes.deletedKeys = ofRecords.deletions.map { old.rows.keys[$0] }
        changes.insertions = ofRecords.insertions.map(path)
        func paths(_ pair: ListDifference.Pair) -> FetchedChanges.Pair {
            FetchedChanges.Pair(from: old.path(pair.from), to: path(pair.to))
        }
        changes.moves = ofRecords.moves.map(paths)
        changes.updates = ofRecords.updates.map(paths)
        changes.relatedUpdates = related.map(paths)
        return changes
    }
}

extension ObservedQueries {
    static func sections<R: Record, Output>(
        _ request: Request<R, Output>, _ sections: FetchedSections<R>
    ) -> ObservedQuery<FetchedRows<Output>> {
        var section: AnyExpression?
        if case .value(let expression) = sections.naming { section = expression }
        return keyed(request, section: section) { keyed in
            var names: [String]?
            switch sections.naming {
            case .none: break
            case .value: names = keyed.sections.map(FetchedSection.name)
            case .closure(let name):
                guard keyed.records.count == keyed.outputs.count else {
                    throw GranaryError(
                        .invalidQuery, "Sections are of records. Leave out the sections, or `select`.",
                        entity: request.untyped.entity)
                }
                names = keyed.records.map(name)
            }
            return FetchedRows(keyed.outputs, keyed.rows, sectionNames: names)
        }
    }
}

extension FetchedSection {
    /// The section name for a stored value: text stays as it is, and nil gives the empty name.
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
