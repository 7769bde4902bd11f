import GranaryPlatform

// Checks that use only calls that every store has. Each row is compared with the rules that applied when it was
// written.

extension Store {
    /// Reads every row of the newest committed state, and returns the faults, one line each: damaged rows, rows that
    /// their key does not find, or that are out of order; values that their attributes do not allow; rows with the same
    /// values of a unique index; references to rows that do not exist; a counter of assigned keys that is behind.
    /// Changes nothing.
    ///
    /// It is the default of ``verify()``. It searches by key for each row and for each reference, and keeps the values
    /// of the unique indexes of one entity in memory at a time. It checks only the store's rows: the store must check
    /// further data of its engine, such as indexes and checksums.
    ///
    /// - Throws: `cancelled`, and the errors of reading, except `corrupt`, which is a fault.
    public func verifyRecords() throws -> [String] {
        let reader = try beginRead(LongWork.current?.cancellation ?? CancellationFlag())
        defer { reader.end() }
        var check = RecordCheck(reader)
        return try check.run()
    }
}

/// The check of the rows of one state.
private struct RecordCheck {
    private let reader: any StoreReader
    private let entities: [EntityRules]
    private var counter: RecordCounter
    private var faults = FaultList()

    init(_ reader: any StoreReader) {
        self.reader = reader
        entities = EntityRules.all(of: reader.schema)
        // Rows that cannot be counted are reported when they are read.
        counter = RecordCounter { (try? reader.recordCount()) ?? 0 }
    }

    mutating func run() throws -> [String] {
        for (number, rules) in entities.enumerated() {
            do {
                try check(rules, number)
            } catch let error as GranaryError where error.code == .corrupt {
                faults.append(error.message)
            }
            try counter.tell(rules.entity)
        }
        return faults.lines
    }

    private mutating func check(_ rules: EntityRules, _ number: Int) throws {
        let entity = rules.entity
        let contents = entity.attributes.map(ContentRule.init)
        var seen = rules.uniques.map { _ in Set<StoredValue>() }
        var (count, greatest) = (0, Int64(0))
        var last: StoredValue?
        let cursor = try reader.rows(FetchRequest(entity: number))
        while let next = try cursor.next() {
            let row = StoredRow(next)
            count += 1
            try counter.count(entity)
            guard row.count == entity.attributes.count else {
                faults.append("\(entity.path): row \(count) does not have a value for each attribute")
                continue
            }
            let areHeld = contents.indices.map { contents[$0].holds(row[$0]) }
            for (position, isHeld) in areHeld.enumerated() where !isHeld {
                faults.append(entity.fault(at: position, ofRow: count, isNull: row[position].isNull))
            }
            if areHeld[rules.keyPosition] {
                let key = row.value(at: rules.keyPosition)
                if let last, !(last < key) {
                    faults.append("\(entity.path): row \(count) is not in the order of keys")
                }
                last = key
                if case .integer(let key) = key { greatest = max(greatest, key) }
                if try !finds(row, by: key, in: number) {
                    faults.append("\(entity.path): row \(count) is not the one that its key finds")
                }
            }
            for (position, unique) in rules.uniques.enumerated() {
                guard let value = unique.values.value(of: row), !seen[position].insert(value).inserted else { continue }
                faults.append(entity.duplicateFault(of: unique.attributes, row: count))
            }
            for reference in rules.outgoing where areHeld[reference.position] && !row[reference.position].isNull {
                let target = row.value(at: reference.position)
                if try target.withCell({ try reader.find($0, in: reference.target) == nil }) {
                    faults.append(
                        entity.danglingFault(
                            at: reference.position, ofKey: row.value(at: entity.positionOfKeyInErrors),
                            to: entities[reference.target].entity))
                }
            }
        }
        if rules.assignsKeys, try reader.lastAssignedKey(of: number) < greatest {
            faults.append(entity.counterFault)
        }
    }

    /// Whether the row with a key is this one.
    private func finds(_ row: StoredRow, by key: StoredValue, in entity: Int) throws -> Bool {
        try key.withCell { key in
            guard let found = try reader.find(key, in: entity) else { return false }
            // Beyond the end of a row the cells are null.
            return (0..<max(found.count, row.count)).allSatisfy { areSame(found[$0], row[$0]) }
        }
    }
}
