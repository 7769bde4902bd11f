/// The records of a ``FetchedResults`` at one moment, section by section.
struct FetchedRows<Fetched: Sendable>: Sendable {
    /// Records, or tuples of a record and its loaded related records; empty if they are read in batches.
    private(set) var records: [Fetched] = []
    /// Empty for sections by counts.
    private(set) var rows = KeyedRows()
    private(set) var sections: [FetchedSection] = []
    /// The value of each section by counts; empty for other sections.
    private(set) var sectionValues: [StoredValue] = []
    private var isCounted = false

    init() {}

    /// Rows whose records are read in batches.
    ///
    /// - Parameter tally: Nil for a single section, which exists also without records.
    init(_ rows: KeyedRows, _ tally: SectionTally?) {
        self.rows = tally?.arrange(rows) ?? rows
        sections = tally?.sections ?? [FetchedSection(name: "", range: rows.keys.indices)]
    }

    /// Sections of which the counts alone are known.
    init(counts: [(value: StoredValue, count: Int)]) {
        isCounted = true
        sectionValues = counts.map(\.value)
        sections = FetchedSection.successive(sectionValues.map(FetchedSection.name), counts.map(\.count))
    }

    /// The number of records in all sections.
    var count: Int { sections.last?.range.upperBound ?? 0 }

    /// Sorts records into sections by their section names. Records come in the query's order, and sections in the order
    /// of their first records.
    ///
    /// - Parameter sectionNames: Nil for a single section, which exists also without records.
    init(_ records: [Fetched], _ rows: KeyedRows, sectionNames: [String]?) {
        guard let sectionNames else {
            (self.records, self.rows) = (records, rows)
            sections = [FetchedSection(name: "", range: records.indices)]
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
            }
            sections.append(FetchedSection(name: names[number], range: start..<self.records.count))
        }
    }

    func path(_ place: Int) -> FetchedPath {
        let section = section(of: place)
        return FetchedPath(section: section, item: place - sections[section].range.lowerBound)
    }

    /// The section of a record. Sections follow each other, and none of several is empty.
    private func section(of place: Int) -> Int {
        var (low, high) = (0, max(0, sections.count - 1))
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].range.upperBound > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// What tells a section from others. Sections by counts may have equal names.
    private var sectionIdentities: [StoredValue] {
        isCounted ? sectionValues : sections.map { .text(Array($0.name.utf8)) }
    }

    /// The difference between the old rows and these.
    func changes(from old: FetchedRows) -> FetchedChanges {
        let ofSections = ListDifference(from: old.sectionIdentities, to: sectionIdentities) { _, _ in false }
        // A moved section counts as deleted and inserted in a list view.
        let gone = Set(ofSections.deletions + ofSections.moves.map(\.from))
        let come = Set(ofSections.insertions + ofSections.moves.map(\.to))
        // The remaining sections have the same order, so the n-th old one is the n-th new one.
        let stayedOld = old.sections.indices.filter { !gone.contains($0) }
        let stayedNew = sections.indices.filter { !come.contains($0) }
        let follows = Dictionary(uniqueKeysWithValues: zip(stayedOld, stayedNew))
        var changes = FetchedChanges()
        changes.deletedSections = gone.sorted()
        changes.deletedSectionNames = changes.deletedSections.map { old.sections[$0].name }
        changes.insertedSections = come.sorted()
        if isCounted {
            changes.reloadedSections = stayedNew
            return changes
        }
        let isSectioned = old.sections.count > 1 || sections.count > 1 || !gone.isEmpty
        var ofRecords = ListDifference(
            from: old.rows.keys, to: rows.keys,
            movesAnyway: isSectioned ? { follows[old.section(of: $0)] != section(of: $1) } : nil
        ) { rows.isUpdated(from: old.rows, $0, $1) }
        let related = ofRecords.separate { rows.isUpdatedItself(from: old.rows, $0, $1) }
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
    /// The shown rows of a ``FetchedResults``, and how their records are read if that is done in batches.
    static func shown<R: Record, Output>(
        _ request: Request<R, Output>, _ sections: FetchedSections<R>, batchSize: Int?
    ) -> (ObservedQuery<FetchedRows<Output>>, RowBatches<Output>?) {
        let size = max(1, batchSize ?? 100)
        func refused(_ message: String) -> (ObservedQuery<FetchedRows<Output>>, RowBatches<Output>?) {
            (
                ObservedQuery { _, _ in
                    throw GranaryError(.invalidQuery, message, entity: request.untyped.entity)
                }, nil
            )
        }
        if let batchSize, batchSize < 1 { return refused("A batch has 1 record or more, not \(batchSize).") }
        if case .counted(let section, let direction) = sections.naming {
            let reading = RowReading<Output>(
                read: { context, rows, number, items in
                    guard rows.sectionValues.indices.contains(number) else { return [] }
                    let value = AnyExpression.value(rows.sectionValues[number])
                    return try request.where(.relation(section, .equal, value)).limit(items.count)
                        .offset(items.lowerBound).fetch(in: context)
                }, isBySection: true)
            return (counts(request, by: section, direction), RowBatches(size: size, reading))
        }
        if batchSize == nil { return (ObservedQueries.sections(request, sections), nil) }
        let reading = RowReading<Output>(
            read: { context, rows, _, items in
                try request.outputs(rows.rows.keys[items.clamped(to: rows.rows.keys.indices)], in: context)
            }, isBySection: false)
        let batches = RowBatches(size: size, reading)
        switch sections.naming {
        case .value(let section): return (keys(request, section: section) { FetchedRows($0, $1) }, batches)
        case .closure:
            return refused(
                "Sections that a closure names need every record. Leave out `batchSize`, or use `.by` or `.counted(by:)`."
            )
        case .none, .counted: return (keys(request) { rows, _ in FetchedRows(rows, nil) }, batches)
        }
    }

    static func sections<R: Record, Output>(
        _ request: Request<R, Output>, _ sections: FetchedSections<R>
    ) -> ObservedQuery<FetchedRows<Output>> {
        var section: AnyExpression?
        if case .value(let expression) = sections.naming { section = expression }
        return keyed(request, section: section) { keyed in
            var names: [String]?
            switch sections.naming {
            case .none, .counted: break
            case .value: names = keyed.sections.map(FetchedSection.name)
            case .closure(let name):
                guard keyed.records.count == keyed.outputs.count else {
                    throw FetchedSection.ofValues(request.untyped.entity)
                }
                names = keyed.records.map(name)
            }
            return FetchedRows(keyed.outputs, keyed.rows, sectionNames: names)
        }
    }
}

extension FetchedSection {
    static func ofValues(_ entity: String) -> GranaryError {
        GranaryError(
            .invalidQuery, "Sections are of records. Leave out the sections, or `select`.", entity: entity)
    }

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
