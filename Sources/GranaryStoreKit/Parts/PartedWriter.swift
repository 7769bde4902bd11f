/// A write transaction over all parts. A statement about one part is a statement of that part.
///
/// It adds what no part can see: references to records of another part, and deletions that reach another part.
final class PartedWriter: PartedReader, StoreWriter {
    let store: PartedStore
    /// The writers of the parts that are written to.
    private let writers: [(any StoreWriter)?]
    private var recorder: ChangeRecorder?
    /// For each part, what it changes.
    private var recorders: [ChangeRecorder?]
    /// The parts of which something was asked: even if no record is changed, a file may have been written anew.
    private var touched: Set<Int> = []
    /// The rows with references to other parts that are checked later, and those of the open savepoints.
    private var deferred = DeferredReferences()
    private var savepoints: [DeferredReferences] = []

    init(_ store: PartedStore, _ readers: [any StoreReader], _ writers: [(any StoreWriter)?], number: UInt64) {
        (self.store, self.writers) = (store, writers)
        recorders = Array(repeating: nil, count: writers.count)
        super.init(store.map, store.rules, readers, number: number, CancellationFlag())
    }

    // MARK: Parts

    private func writer(of part: Int) throws -> any StoreWriter {
        try check()
        guard let writer = writers[part] else {
            throw GranaryError.readOnly("The part \"\(store.parts[part].name)\"")
        }
        touched.insert(part)
        return writer
    }

    private func forEachWriter(_ body: (any StoreWriter) throws -> Void) throws {
        try check()
        for writer in writers { if let writer { try body(writer) } }
    }

    /// Called before each statement: makes the parts record changes, if they do not do so yet.
    private func noteChanges() throws {
        beginStatement()
        if recorder == nil { try record(into: ChangeRecorder()) }
    }

    func record(into recorder: ChangeRecorder) throws {
        try check()
        self.recorder = recorder
        for (part, writer) in writers.enumerated() {
            guard let writer else { continue }
            let own = ChangeRecorder(partOf: recorder, map.positions[part])
            try writer.record(into: own)
            recorders[part] = own
        }
    }

    // MARK: Statements about one row

    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let (place, dangling) = try begin(row, in: entity, replacing: false)
        let writer = try writer(of: place.part)
        if let dangling { try refuse(dangling, entity, writer) { _ = try writer.insert(row, into: place.position) } }
        let made = try writer.insert(row, into: place.position)
        noteDeferred(row, made, entity)
        return made
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let (place, dangling) = try begin(row, in: entity, replacing: true)
        let writer = try writer(of: place.part)
        if let dangling {
            guard try exists(row, in: entity) else { return try writer.update(row, in: place.position) }
            try refuse(dangling, entity, writer) { _ = try writer.update(row, in: place.position) }
        }
        let isFound = try writer.update(row, in: place.position)
        if isFound { noteDeferred(row, nil, entity) }
        return isFound
    }

    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let (place, dangling) = try begin(row, in: entity, replacing: true)
        let writer = try writer(of: place.part)
        if let dangling { try refuse(dangling, entity, writer) { _ = try writer.upsert(row, into: place.position) } }
        let made = try writer.upsert(row, into: place.position)
        noteDeferred(row, made, entity)
        return made
    }

    /// Begins a statement that writes a row.
    ///
    /// - Parameter replacing: Whether the row may replace another one. A reference that stays is not checked.
    /// - Returns: The position of the first reference that leads to no record of another part.
    private func begin(
        _ row: borrowing Row, in entity: Int, replacing: Bool
    ) throws -> (place: PartedSchema.Place, dangling: Int?) {
        let place = try map.place(of: entity)
        _ = try writer(of: place.part)
        try noteChanges()
        guard !map.outgoing[entity].isEmpty, !deferred.isActive else { return (place, nil) }
        for reference in map.outgoing[entity] {
            let target = row[reference.position]
            if target.isNull { continue }
            if isKey(target, of: reference.target), try find(target, in: reference.target) != nil { continue }
            if replacing, let key = try storedRow(row, in: entity), areSame(key[reference.position], target) {
                continue
            }
            return (place, reference.position)
        }
        return (place, nil)
    }

    /// Whether a value can be a key: what cannot is refused by the statement.
    private func isKey(_ cell: Cell, of entity: Int) -> Bool {
        let keyEntity = schema.entities[entity]
        return ValueRule(keyEntity.attributes[keyEntity.keyPosition]).holds(cell)
    }

    private func storedRow(_ row: borrowing Row, in entity: Int) throws -> StoredRow? {
        let keyPosition = schema.entities[entity].keyPosition
        guard isKey(row[keyPosition], of: entity) else { return nil }
        return try storedRow(row[keyPosition], of: entity)
    }

    private func exists(_ row: borrowing Row, in entity: Int) throws -> Bool { try storedRow(row, in: entity) != nil }

    /// Throws the error of a reference to no record, unless the statement has another error of its own.
    private func refuse(
        _ position: Int, _ entity: Int, _ writer: any StoreWriter, _ statement: () throws -> Void
    ) throws {
        try writer.beginSavepoint()
        do {
            try statement()
        } catch let error as GranaryError where error.code == .danglingReference {
            // Of several references the first one is named.
            try writer.rollbackSavepoint()
            let named = schema.entities[entity]
            let other = error.attributes.first.flatMap { name in named.attributes.firstIndex { $0.name == name } }
            guard let other, other > position else { throw error }
            throw GranaryError.dangling(named, position)
        } catch {
            try writer.rollbackSavepoint()
            throw error
        }
        try writer.rollbackSavepoint()
        throw GranaryError.dangling(schema.entities[entity], position)
    }

    private func noteDeferred(_ row: borrowing Row, _ made: Int64?, _ entity: Int) {
        guard deferred.isActive, !map.outgoing[entity].isEmpty else { return }
        let key = made.map { StoredValue.integer($0) } ?? StoredValue(row[schema.entities[entity].keyPosition])
        deferred.note(key, of: entity)
    }

    // MARK: Deletions

    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let place = try map.place(of: entity)
        let writer = try writer(of: place.part)
        try noteChanges()
        guard map.deletesAcross[entity], isKey(key, of: entity) else {
            return try writer.delete(key, from: place.position)
        }
        guard try find(key, in: entity) != nil else { return false }
        try delete([StoredValue(key)], from: entity)
        return true
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        let place = try map.place(of: request.entity)
        let writer = try writer(of: place.part)
        guard map.deletesAcross[request.entity] || !map.isWithinPart(request) else {
            try noteChanges()
            return try writer.deleteAll(map.local(request))
        }
        let keys = try keys(request)
        try noteChanges()
        try delete(keys, from: request.entity)
        return keys.count
    }

    /// Deletes records with all that follows from it in all parts, or changes nothing.
    ///
    /// - Throws: `deniedDeletion`; `readOnly` if a record of a part that is only read would change.
    private func delete(_ keys: [StoredValue], from entity: Int) throws {
        var deletion = PlacedDeletion()
        for key in keys { deletion.doom(RecordChange.Place(entity: entity, key: key)) }
        try deletion.follow(rules.entities, among: PartedOthers(reader: self))
        try undoneIfFailing {
            for (record, positions) in deletion.work.nullified {
                let place = deletion.places[record]
                guard let row = try row(place.key, of: place.entity) else { continue }
                let changed = row.setting(positions.map { Assignment(position: $0, value: .null) })
                let part = map.places[place.entity]
                let writer = try writer(of: part.part)
                try changed.withRow { _ = try writer.update($0, in: part.position) }
            }
            var doomed: [Int: [StoredValue]] = [:]
            for record in deletion.work.doomed {
                doomed[deletion.places[record].entity, default: []].append(deletion.places[record].key)
            }
            try delete(doomed)
        }
    }

    /// Deletes records that nothing keeps, by entity. A record may have to be deleted after the one that refers to it.
    private func delete(_ doomed: [Int: [StoredValue]]) throws {
        var left = doomed.sorted { $0.key < $1.key }.map { (entity: $0.key, keys: $0.value.sorted()) }
        while !left.isEmpty {
            var denied: [(entity: Int, keys: [StoredValue])] = []
            var denial: GranaryError?
            for (entity, keys) in left {
                let place = map.places[entity]
                let writer = try writer(of: place.part)
                let keyPosition = schema.entities[entity].keyPosition
                do {
                    for keys in keys.chunks() {
                        _ = try writer.deleteAll(
                            FetchRequest(
                                entity: place.position, condition: .among(position: keyPosition, keys)))
                    }
                } catch let error as GranaryError where error.code == .deniedDeletion {
                    denied.append((entity, keys))
                    denial = error
                }
            }
            if let denial, denied.count == left.count { throw denial }
            left = denied
        }
    }

    // MARK: Statements about many rows

    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let place = try map.place(of: request.entity)
        let writer = try writer(of: place.part)
        let entity = schema.entities[request.entity]
        var request = request
        let isWithin = map.isWithinPart(request)
        let setsReference = values.contains { value in
            map.outgoing[request.entity].contains { $0.position == value.position } && value.value != .null
        }
        var keys: [StoredValue] = []
        if !isWithin || setsReference && deferred.isActive {
            keys = try self.keys(request).sorted()
            request = FetchRequest(
                entity: request.entity,
                condition: keys.isEmpty ? .always(false) : .among(position: entity.keyPosition, keys))
        }
        try noteChanges()
        if setsReference, !deferred.isActive, let position = try danglingReference(values, of: request.entity),
            try count(request) > 0
        {
            try refuse(position, request.entity, writer) {
                _ = try writer.updateAll(map.local(request), setting: values)
            }
        }
        let count = try writer.updateAll(map.local(request), setting: values)
        if setsReference && deferred.isActive { for key in keys { deferred.note(key, of: request.entity) } }
        return count
    }

    private func danglingReference(_ values: [Assignment], of entity: Int) throws -> Int? {
        for reference in map.outgoing[entity] {
            guard let value = values.last(where: { $0.position == reference.position })?.value, value != .null else {
                continue
            }
            let isFound = try value.withCell { cell in
                try isKey(cell, of: reference.target) && find(cell, in: reference.target) != nil
            }
            if !isFound { return reference.position }
        }
        return nil
    }

    // MARK: References that are checked later

    func deferReferences() throws {
        try forEachWriter { try $0.deferReferences() }
        deferred.begin()
    }

    func checkReferences() throws {
        do {
            try forEachWriter { try $0.checkReferences() }
        } catch let error as GranaryError where error.code == .danglingReference {
            // A part knows its own references alone. Of several of a record the first one is named.
            try checkDeferred { $0.named([]).entity == error.entity }
            throw error
        }
        try checkDeferred { _ in true }
        deferred.end()
    }

    /// Checks all references of the rows that have some to other parts.
    private func checkDeferred(_ isMeant: (Entity) -> Bool) throws {
        for (entity, key) in deferred.pending where isMeant(schema.entities[entity]) {
            guard let row = try row(key, of: entity) else { continue }
            let rules = try rules.rules(of: entity)
            try rules.checkReferences(of: row, key, at: rules.references, among: PartedOthers(reader: self))
        }
    }

    // MARK: Savepoints

    func beginSavepoint() throws {
        try check()
        try store.capabilities.limits.checkSavepoint(insideOf: savepoints.count)
        try forEachWriter { try $0.beginSavepoint() }
        savepoints.append(deferred)
    }

    func releaseSavepoint() throws {
        guard savepoints.popLast() != nil else { throw GranaryError.noSavepoint }
        try forEachWriter { try $0.releaseSavepoint() }
    }

    func rollbackSavepoint() throws {
        guard let earlier = savepoints.popLast() else { throw GranaryError.noSavepoint }
        deferred = earlier
        beginStatement()
        try forEachWriter { try $0.rollbackSavepoint() }
    }

    private func undoneIfFailing(_ body: () throws -> Void) throws {
        try forEachWriter { try $0.beginSavepoint() }
        do {
            try body()
            try forEachWriter { try $0.releaseSavepoint() }
        } catch {
            try forEachWriter { try $0.rollbackSavepoint() }
            throw error
        }
    }

    // MARK: History

    /// Each part keeps what is changed in it.
    func keepHistory(_ entry: HistoryEntry) throws {
        let changes = try RecordChange.decode(entry.changes, schema)
        for (part, writer) in writers.enumerated() {
            guard let writer else { continue }
            let own = map.changes(changes, inPart: part)
            if own.isEmpty { continue }
            var kept = entry
            kept.changes = RecordChange.encode(own, writer.schema)
            try writer.keepHistory(kept)
            touched.insert(part)
        }
    }

    func deleteHistory(through number: UInt64) throws {
        for (part, writer) in writers.enumerated() {
            guard let writer else { continue }
            try writer.deleteHistory(through: number)
            touched.insert(part)
        }
    }

    // MARK: The end

    func prepareCommit() throws { try forEachWriter { try $0.prepareCommit() } }

    func commit() throws -> UInt64 {
        try prepareCommit()
        defer { end() }
        let changed = writers.indices.filter { recorders[$0].map { !$0.isEmpty } ?? false }
        for part in changed { try (store.parts[part].store as? SharedStore)?.requirePlace() }
        var numbers = readers.map(\.transactionNumber)
        let number = changed.isEmpty ? transactionNumber : try StoredCount.next(after: transactionNumber)
        switch changed.count {
        case 0: break
        case 1:
            if let writer = writers[changed[0]] { numbers[changed[0]] = try writer.commit() }
            store.know(numbers, number)
        default: try commit(changed, numbers, number)
        }
        for part in touched.subtracting(changed).sorted() { _ = try writers[part]?.commit() }
        return number
    }

    /// Commits several parts: those first that are kept when the process ends. The first one keeps what the others still
    /// have to change, and their commits count together with it.
    private func commit(_ changed: [Int], _ numbers: [UInt64], _ number: UInt64) throws {
        var numbers = numbers
        let order = changed.filter { store.parts[$0].isKept } + changed.filter { !store.parts[$0].isKept }
        guard let first = order.first, let keeper = writers[first] else { return }
        if let part = order.first(where: { map.notes[$0] == nil }) {
            throw GranaryError(
                .unsupported,
                "The part \"\(store.parts[part].name)\" was made alone, and has no notes about commits of several parts. Change one part in a transaction, or open the parts once with the record types of all."
            )
        }
        for part in order.dropFirst() {
            guard let writer = writers[part] else { continue }
            let changes = (recorders[part]?.changes() ?? []).filter { $0.entity != map.notes[part] }
            let count = try store.countTogether(part, in: writer)
            guard let position = map.notes[first], store.parts[part].isKept else { continue }
            let contents = try PartChanges(changes, of: writer).bytes
            let note = PartNotes.Note(number: count, contents: contents)
            try PartNotes.keep(note, as: store.parts[part].name, in: keeper, at: position)
        }
        try prepareCommit()
        try store.between {
            numbers[first] = try keeper.commit()
            for part in order.dropFirst() {
                guard let writer = writers[part] else { continue }
                do {
                    numbers[part] = try writer.commit()
                } catch let error as GranaryError {
                    throw store.halfDone(error, part)
                }
            }
            store.know(numbers, number)
        }
    }
}

extension PartedStore {
    /// The error of a commit that one part has, and another one could not make.
    fileprivate func halfDone(_ error: GranaryError, _ part: Int) -> GranaryError {
        error.afterDone(
            "The commit is made, but the part \"\(parts[part].name)\" does not have it yet. It gets it with the next transaction that can write."
        )
    }
}

/// The records of all parts, for the rules of deletions.
private struct PartedOthers: OtherRecords {
    let reader: PartedReader

    func exists(_ key: StoredValue, of entity: Int) throws -> Bool { try reader.row(key, of: entity) != nil }

    func isHeld(
        _ value: StoredValue, _ number: Int, of entity: Int, besides key: StoredValue, _ row: StoredRow
    ) throws -> Bool { false }

    func referrers(to keys: [StoredValue], _ reference: ReferenceMap.Incoming) throws -> [RecordChange.Place] {
        let request = FetchRequest(
            entity: reference.entity, condition: .among(position: reference.position, keys.sorted()))
        return try reader.keys(request).map { RecordChange.Place(entity: reference.entity, key: $0) }
    }
}
