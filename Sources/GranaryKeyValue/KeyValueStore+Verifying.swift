public import GranaryStoreKit

extension KeyValueStore: StructureVerifying {
    package func verifyStructure() throws -> [String] { try engine.verify() }

    /// Checks the engine's structure. If that is sound, it reads every row and every index, and checks that each row
    /// can be decoded and has its checksum; that it lies under its own key; that required values exist; that its
    /// attributes allow its values; that each index has an entry for it and no other entries; that no two rows have the
    /// same values of a unique index; that references lead to rows; that no counter of assigned keys is behind; and
    /// that the stored schema and the data about commits are complete.
    public func verify() throws -> [String] {
        let faults = try verifyStructure()
        // Entries of a damaged structure cannot be read safely.
        guard faults.isEmpty else { return faults }
        let reader = try engine.beginRead()
        let session = try KeyValueSession(base, reader, nil)
        defer { session.end() }
        var lines = FaultList()
        var counter = try RecordCounter {
            try tables.reduce(0) { try $0 + session.engine.count(in: $1.keyspace) }
        }
        for table in tables {
            var verification = Verification(self, session, table)
            try verification.run(&counter, &lines)
        }
        if let last = tables.last { try counter.tell(last.entity) }
        try session.verifyHistory(&lines)
        try verifySchema(reader, &lines)
        return lines.lines
    }

    private func verifySchema(_ reader: any KeyValueReader, _ lines: inout FaultList) throws {
        do {
            let stored = try KeyValueStore.description(reader, kind)?.schema.fingerprint
            let fingerprint = try Meta.read(Meta.fingerprint, reader).map { String(decoding: $0, as: UTF8.self) }
            if stored == nil || stored != fingerprint { lines.append("the schema is not the one of its fingerprint") }
        } catch let error as GranaryError {
            lines.append(error.message)
        }
    }
}

/// The check of one table.
private struct Verification {
    let store: KeyValueStore
    let session: KeyValueSession
    let table: Table
    let buffer: UnsafeMutableRawPointer
    private let rules: ContiguousArray<ContentRule>
    /// For each index, the number of rows whose entry was found.
    private var rowsInIndex: [Int]

    init(_ store: KeyValueStore, _ session: KeyValueSession, _ table: Table) {
        self.store = store
        self.session = session
        self.table = table
        buffer = session.keyBuffer
        rules = ContiguousArray(table.entity.attributes.map(ContentRule.init))
        rowsInIndex = table.indexes.map { _ in 0 }
    }

    mutating func run(_ counter: inout RecordCounter, _ lines: inout FaultList) throws {
        let name = table.entity.path
        let cells = session.cells
        let cursor = try session.engine.cursor(in: table.keyspace)
        var entry = try cursor.first()
        var (rows, greatest) = (0, Int64(0))
        while let (key, row) = entry.map({ ($0.key, $0.value) }) {
            rows += 1
            try counter.count(table.entity)
            if table.layout.isIntact(row, key: key) && table.layout.decode(row, into: cells) {
                try check(key, rows, &lines)
                let keyCell = cells[table.keyPosition]
                if keyCell.kind == .integer { greatest = max(greatest, keyCell.integerValue) }
            } else {
                lines.append("\(name): row \(rows) is damaged")
            }
            entry = try cursor.next()
        }
        let count = try session.engine.count(in: table.keyspace)
        if count != rows { lines.append("\(name): there are \(rows) rows where the engine counts \(count)") }
        for (number, index) in table.indexes.enumerated() {
            try checkEntries(index, rows, areAllThere: rowsInIndex[number] == rows, &lines)
        }
        if table.assignsKeys {
            let counter = try Meta.readNumber(Meta.counter(table.entity.id), session.engine) ?? 0
            if Int64(bitPattern: counter) < greatest { lines.append(table.entity.counterFault) }
        }
    }

    private mutating func check(_ key: UnsafeRawBufferPointer, _ number: Int, _ lines: inout FaultList) throws {
        let name = table.entity.path
        let cells = session.cells
        let keyCell = cells[table.keyPosition]
        let isRight = table.keyField.accepts(keyCell)
        if isRight, case let count = try table.encodeKey(keyCell, into: buffer) {
            if !areEqual(UnsafeRawBufferPointer(start: buffer, count: count), key) {
                lines.append("\(name): row \(number) lies under another key than its own")
            }
        } else {
            lines.append("\(name): row \(number) has no key")
        }
        for (position, rule) in rules.enumerated() where !rule.holds(cells[position]) {
            lines.append(table.entity.fault(at: position, ofRow: number, isNull: cells[position].isNull))
        }
        for (place, index) in table.indexes.enumerated() {
            guard let (count, _) = try? index.encode(cells, key: key, into: buffer) else {
                lines.append("\(name): row \(number) has text that is not UTF-8")
                continue
            }
            if try session.engine.get(UnsafeRawBufferPointer(start: buffer, count: count), in: index.keyspace) == nil {
                lines.append("\(name): index \(index.name) lacks row \(number)")
            } else {
                rowsInIndex[place] += 1
            }
        }
        for reference in table.outgoing where !cells[reference.position].isNull {
            let target = store.tables[reference.target]
            if try !session.exists(cells[reference.position], in: target) {
                lines.append(
                    table.entity.danglingFault(
                        at: reference.position, ofKey: StoredValue(cells[table.entity.positionOfKeyInErrors]),
                        to: target.entity))
            }
        }
    }

    /// Finds entries without a row. An entry names its row. If every row has its own entry, and there are no more
    /// entries than rows, then every entry has a row.
    private func checkEntries(
        _ index: TableIndex, _ rows: Int, areAllThere: Bool, _ lines: inout FaultList
    ) throws {
        let count = try self.count(index)
        if count != rows {
            lines.append("\(table.entity.path): index \(index.name) has \(count) entries for \(rows) rows")
        }
        let isReported = count != rows || !areAllThere
        if isReported { try lookAtEntries(index, &lines) }
        guard index.isUnique else { return }
        let duplicates: DuplicateRecords
        do {
            duplicates = try UniqueIndexCheck(table, index, session.engine).duplicates()
        } catch let error as GranaryError where error.code == .corrupt {
            if !isReported {
                lines.append(
                    "\(table.entity.path): the unique index \(index.name) could not be checked. \(error.message)")
            }
            return
        }
        guard !duplicates.keys.isEmpty else { return }
        lines.append(
            "\(table.entity.path): \(duplicates.keys.joined().count) rows share values of the unique index \(index.name)"
        )
    }

    private func count(_ index: TableIndex) throws -> Int {
        let cursor = try session.engine.cursor(in: index.keyspace)
        var count = 0
        var entry = try cursor.first()
        while entry != nil {
            count += 1
            entry = try cursor.next()
        }
        return count
    }

    private func lookAtEntries(_ index: TableIndex, _ lines: inout FaultList) throws {
        let cursor = try session.engine.cursor(in: index.keyspace)
        var entry = try cursor.first()
        var count = 0
        while let found = entry {
            count += 1
            if let (_, rowKey) = index.split(found.key), !rowKey.isEmpty,
                let row = try session.engine.get(rowKey, in: table.keyspace)
            {
                if table.layout.isIntact(row, key: rowKey), table.layout.decode(row, into: session.cells) {
                    let length = (try? index.encode(session.cells, key: rowKey, into: buffer))?.count ?? 0
                    if !areEqual(UnsafeRawBufferPointer(start: buffer, count: length), found.key) {
                        lines.append(
                            "\(table.entity.path): entry \(count) of index \(index.name) does not agree with its row")
                    }
                }
            } else {
                lines.append(
                    "\(table.entity.path): entry \(count) of index \(index.name) names a row that is not there")
            }
            entry = try cursor.next()
        }
    }
}
