import GranaryPlatform

// A hundred observers must not make commits slow. The committing thread only appends the change set to a list. One of
// the stack's reader threads then goes through the observers, and wakes those whose query the commit may affect.

/// The observers of a stack.
final class ObservationHub: StackCompanion {
    private let stack: StackReference
    private let coordinator: StoreCoordinator
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var observers: [UInt64: Observer] = [:]
    nonisolated(unsafe) private var next: UInt64 = 0
    /// The number of observers of each entity.
    nonisolated(unsafe) private var watched: [Int: Int] = [:]
    nonisolated(unsafe) private var listener: UInt64?
    nonisolated(unsafe) private var arrived: [ChangeSet] = []
    nonisolated(unsafe) private var isWorking = false
    nonisolated(unsafe) private var isClosed = false

    init(of stack: Stack) {
        self.stack = StackReference(knowing: stack)
        coordinator = stack.store.coordinator
    }

    /// Adds an observer, which is marked from now on when a commit may affect it.
    func add(_ observer: Observer) -> UInt64 {
        let (number, isOpen) = lock.withLock {
            next += 1
            guard !isClosed else { return (next, false) }
            observers[next] = observer
            for looked in observer.readSet.entities { watched[looked.entity, default: 0] += 1 }
            if listener == nil { listener = coordinator.listen { [weak self] in self?.receive($0) } }
            return (next, true)
        }
        if !isOpen { observer.end() }
        return number
    }

    func remove(_ number: UInt64) {
        let unused: UInt64? = lock.withLock {
            guard let observer = observers.removeValue(forKey: number) else { return nil }
            for looked in observer.readSet.entities {
                watched[looked.entity] = watched[looked.entity].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
            guard observers.isEmpty else { return nil }
            defer { listener = nil }
            return listener
        }
        // Stores record changes only while there are listeners.
        if let unused { coordinator.stopListening(unused) }
    }

    /// The number of observers.
    var count: Int { lock.withLock { observers.count } }
    /// Whether commits have arrived that some observers have not been notified of.
    var isBusy: Bool { lock.withLock { isWorking } }

    func stackCloses() {
        let (all, unused) = lock.withLock {
            isClosed = true
            defer { (observers, watched, listener) = ([:], [:], nil) }
            return (Array(observers.values), listener)
        }
        if let unused { coordinator.stopListening(unused) }
        for observer in all { observer.end() }
    }

    /// Runs on the thread that has committed.
    private func receive(_ changes: ChangeSet) {
        let begins = lock.withLock {
            if let entities = changes.entities, !entities.contains(where: { watched[$0] != nil }) { return false }
            arrived.append(changes)
            defer { isWorking = true }
            return !isWorking
        }
        guard begins, let stack = try? stack.get() else { return }
        stack.readers.run { self.work(stack) }
    }

    private func work(_ stack: Stack) {
        while true {
            let (batch, all) = lock.withLock {
                defer { arrived = [] }
                isWorking = !arrived.isEmpty
                return (arrived, Array(observers.values))
            }
            if batch.isEmpty { return }
            let rows = ChangedRows(stack)
            defer { rows.end() }
            let summaries = batch.map(ChangeSummary.init)
            for observer in all { tell(observer, summaries, rows) }
        }
    }

    private func tell(_ observer: Observer, _ summaries: [ChangeSummary], _ rows: ChangedRows) {
        guard let view = observer.view else { return }
        for summary in summaries.reversed() where summary.number > view.number {
            guard observer.readSet.isTouched(by: summary) else { continue }
            if let filter = observer.filter, let keys = view.keys,
                !rows.matter(summary, to: filter, observer.readSet, keys)
            {
                continue
            }
            return observer.mark(summary.number)
        }
    }
}

/// The current states of changed records. Each is read once, when it is requested.
private final class ChangedRows {
    private let stack: Stack
    private let bytes = CellBytes()
    private var reader: (any StoreReader)?
    private var work: ActiveWork?
    private var known: [RecordChange.Place: StoredRow?] = [:]

    init(_ stack: Stack) { self.stack = stack }

    func end() {
        guard let reader else { return }
        reader.end()
        self.reader = nil
        work?.leave()
    }

    /// Whether the changes of one commit can affect a query whose answer has these keys.
    func matter(_ summary: ChangeSummary, to filter: RowFilter, _ readSet: ReadSet, _ keys: KeyHashes) -> Bool {
        guard let changes = summary.changes, let looked = readSet.attributes(of: filter.entity) else { return true }
        for changed in summary.entities {
            if changed.entity == filter.entity {
                if changed.range.count > RowFilter.limit { return true }
                for change in changes[changed.range] where matters(change, to: filter, looked, keys) { return true }
            } else if readSet.attributes(of: changed.entity) != nil {
                return true
            }
        }
        return false
    }

    private func matters(
        _ change: RecordChange, to filter: RowFilter, _ looked: ReadSet.OfEntity, _ keys: KeyHashes
    ) -> Bool {
        if case .updated(let attributes) = change.kind, !looked.isWhole, !looked.attributes.intersects(attributes) {
            return false
        }
        if change.key.withCell({ keys.mayContain($0, bytes) }) { return true }
        // If a record cannot be read, the change counts: the observer reads again, and that throws the error.
        guard change.kind != .deleted else { return false }
        do {
            guard let row = try row(change.place) else { return false }
            return try filter.holds(row)
        } catch {
            return true
        }
    }

    private func row(_ place: RecordChange.Place) throws -> StoredRow? {
        if let row = known[place] { return row }
        let reader = try open()
        let row = try place.key.withCell { key in
            guard let row = try reader.find(key, in: place.entity) else { return StoredRow?.none }
            return StoredRow(row)
        }
        known.updateValue(row, forKey: place)
        return row
    }

    // An ordinary read would report to the coordinator which commit it has seen, and the coordinator may be waiting for
    // this.
    private func open() throws -> any StoreReader {
        if let reader { return reader }
        let work = try stack.activity.enter()
        do {
            let new = try stack.store.beginRead(CancellationFlag())
            (reader, self.work) = (new, work)
            return new
        } catch {
            work.leave()
            throw error
        }
    }
}
