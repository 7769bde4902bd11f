import GranaryStoreKit

// Rows come in the order of their keys, so each can be appended without a search. Index entries would come in no order:
// they are made at the end, sorted.

extension KeyValueStoreWriter {
    /// The number of bytes of rows after which a part is committed, if the engine can do that.
    static let partSize = 32 << 20

    func beginFilling() throws {
        try check()
        for table in base.tables where table.assignsKeys { _ = try counter(table) }
        let numbers = try session.historyNumbers(through: .max)
        try writing {
            for table in base.tables {
                try engine.deleteAll(in: table.keyspace)
                for index in table.indexes { try engine.deleteAll(in: index.keyspace) }
            }
            for number in numbers { try deleteEntry(number) }
            return true
        }
        // The indexes of words are of the old rows.
        try WritableKeyValueWords(self).deleteAll(prefix: [])
        greatest.forget()
    }

    func append(_ row: borrowing Row, to entity: Int) throws {
        let table = try begin(entity)
        try take(row, table)
        let size = try table.layout.measure(newCells)
        guard size <= base.capabilities.limits.valueSize else {
            throw GranaryError.tooLarge(table.entity, size, limit: base.capabilities.limits.valueSize)
        }
        let keyCount = try table.encodeKey(newCells[table.keyPosition], into: session.keyBuffer)
        let key = UnsafeRawBufferPointer(start: session.keyBuffer, count: keyCount)
        let isBeyond = try greatest.isBeyond(key, table, engine)
        let isNew = try writing {
            let target = try engine.reserve(key, count: size, in: table.keyspace, mode: isBeyond ? .append : .insert)
            guard let target else { return false }
            table.layout.write(newCells, key: key, into: target)
            return true
        }
        guard isNew else { throw table.duplicateKey() }
        if isBeyond { greatest.advance(to: key, table) }
        if table.assignsKeys { try raiseCounter(table, to: newCells[table.keyPosition].integerValue, isMade: false) }
        uncommittedBytes += size
        if uncommittedBytes >= Self.partSize {
            uncommittedBytes = 0
            try writing {
                try engine.commitPart()
                return true
            }
        }
    }

    func finishFilling(_ end: FillingEnd) throws {
        try check()
        // Progress was reported while the rows were added: here only the cancellation is checked.
        let work = LongWork.current.map { LongWork(cancellation: $0.cancellation) }
        for table in base.tables {
            for index in table.indexes {
                try LongWork.checkCancellation()
                try writing {
                    let filling = IndexFilling(table, index, engine)
                    filling.counter = RecordCounter(work) { 0 }
                    try filling.run()
                    try engine.commitPart()
                    return true
                }
            }
        }
        if end.checksReferences {
            for table in base.tables { try checkReferences(of: table, RecordCounter(work) { 0 }) }
        }
        for table in base.tables where table.assignsKeys && end.lastAssignedKeys.indices.contains(table.number) {
            try raiseCounter(table, to: end.lastAssignedKeys[table.number], isMade: false)
        }
        filledNumber = end.transactionNumber
    }

    private func checkReferences(of table: Table, _ counter: RecordCounter) throws {
        if table.outgoing.isEmpty { return }
        var counter = counter
        let cursor = try engine.cursor(in: table.keyspace)
        var entry = try cursor.first()
        while let found = entry {
            try counter.count(table.entity)
            try table.layout.read(found.value, key: found.key, into: session.cells)
            if let position = try session.danglingReference(of: session.cells, table) {
                var error = table.dangling(position)
                error.key = StoredValue(session.cells[table.entity.positionOfKeyInErrors])
                throw error
            }
            entry = try cursor.next()
        }
    }
}
