// Everything that a context shows and does goes through here. An overlay looks like a store's writer, so that every
// read and every write works on it unchanged. It reads one level up for the length of a call and keeps nothing open
// between calls.

/// Pending changes over the level below - a store, or another overlay - as one writer.
package final class Overlay: StoreWriter {
    /// One record that was set to a state: the unit that a savepoint takes back and that undo works with.
    struct Step {
        var entity: Int
        var key: StoredValue
        /// The previous pending change, and the record as it was shown.
        var change: PendingChanges.Change?
        var before: StoredRow?
        var after: StoredRow?
        /// Attributes that were changed by an addition.
        var added = AttributeSet()
        /// Whether undo was enabled when the step was made.
        var isNoted = false
    }

    package let schema: Schema
    let coordinator: StoreCoordinator
    /// The limits of the store.
    package var limits = Capabilities.Limits()
    // Properties that every insertion uses are not checked for overlapping access: an overlay belongs to one thread, and no
    // closure runs while one of them is being changed.
    @exclusivity(unchecked) private(set) package var pending: PendingChanges
    /// The steps of the running call, in order; empty between calls.
    @exclusivity(unchecked) private(set) var steps: [Step] = []
    @exclusivity(unchecked) var savepoints: [Savepoint] = []
    /// The keys that were reserved since the outermost savepoint began.
    var reservedKeys = ReservedKeys()
    /// The references that remain to be checked.
    @exclusivity(unchecked) var deferred = DeferredChecks()
    /// Gets the steps of each outermost call; nil if undo is not used.
    var undoHistory: UndoHistory?
    /// Increased whenever the shown contents may have changed. Cursors of earlier versions end.
    @exclusivity(unchecked) private(set) var version = 0
    let observers = OverlayObservers()
    private(set) var isEnded = false
    /// The contents that the changes belong to, and a closure that is called when these are gone: it throws, or drops
    /// the changes. Nil in an overlay that lives for one call.
    var generation: ContextGeneration?
    var noticeReset: (() throws -> Void)?
    private let below: LevelBelow
    /// The record that was found last, lent until the next call.
    private var found: StoredRow?
    private(set) lazy var rules = EntityRules.all(of: schema)
    private(set) lazy var mergeRules = MergeRules.all(of: schema)
    /// For each entity: `new`, links may get another key or place when they are shown; `deleted`, deletions may cascade
    /// further.
    private(set) lazy var corrected = zip(mergeRules, rules).map { (new: $0.linked != nil, deleted: $1.isFollowed) }
    @exclusivity(unchecked) var showing = Showing()
    /// The greatest keys one level up.
    @exclusivity(unchecked) var greatestKeys = GreatestKeys()
    @exclusivity(unchecked) private var lookups = PendingLookups()
    private var pendingRows = PendingRowsCache()
    /// The state one level up that holds the base of every change; nil if the bases come from several states.
    @exclusivity(unchecked) private(set) var baseState: BelowState?
    /// Whether changes are adjusted to the level below. False while they are saved, or may have been saved already.
    var isFollowing = true { didSet { followed = nil } }
    /// The state one level up to which the changes were adjusted last; nil if they must be checked again.
    private var followed: BelowState?
    /// Records with an attribute that was set back to its base since then. The next call adjusts these to that state.
    private var setBack: Set<RecordChange.Place> = []
    /// The number of times the changes were adjusted to another state.
    private(set) var followings = 0

    /// What a failed call restores. A call fails before it takes a key, so `takenKeys` need not be kept, which would be
    /// a copy for each record.
    struct Moment {
        var steps: Int
        var deferred: Int
        var baseState: BelowState?
    }

    /// What a savepoint restores.
    struct Savepoint {
        var moment: Moment
        var deferredParts: [Int]
        var takenKeys: [Int: Int64]
        /// The beginning of the keys that were reserved in the savepoint.
        var reservedKeys: ReservedKeys.Mark
    }

    /// An overlay over a state that is opened for each call.
    package init(
        _ schema: Schema, _ coordinator: StoreCoordinator, _ pending: PendingChanges? = nil,
        opening open: @escaping () throws -> any StoreReader
    ) {
        self.schema = schema
        self.coordinator = coordinator
        self.pending = pending ?? PendingChanges(schema)
        below = LevelBelow(endsReaders: true, open)
        if pending != nil { resetShowing() }
    }

    /// An overlay over one state, which the caller ends.
    package init(_ schema: Schema, _ coordinator: StoreCoordinator, over reader: any StoreReader) {
        self.schema = schema
        self.coordinator = coordinator
        pending = PendingChanges(schema)
        below = LevelBelow(endsReaders: false) { reader }
    }

    /// The state one level up that the running call reads; nil between calls.
    var held: BelowLease? { below.lease }

    /// Reads one level up. Nested calls read the same state.
    func withBelow<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        let reader = try hold()
        defer { letGo() }
        return try body(reader)
    }

    /// Begins a call, unless one is under way.
    ///
    /// - Throws: `transactionEnded`; `generationGone` if the store was reset.
    func begin() throws {
        if isEnded { throw GranaryError.transactionEnded }
        if let generation, !generation.isNewest, !isInCall { try noticeReset?() }
    }

    /// Keeps the state one level up open until ``letGo()``.
    @discardableResult func hold() throws -> any StoreReader {
        while true {
            try begin()
            let reader = try below.hold()
            guard below.isOutermost else { return reader }
            // The store may have been reset between the check and the hold.
            if let generation, !generation.isNewest {
                _ = below.letGo()
                continue
            }
            do {
                try follow(reader, below.lease?.state)
            } catch {
                _ = below.letGo()
                throw error
            }
            return reader
        }
    }

    /// Releases the state. The release of the outermost hold is the end of a call: its steps are handed over.
    func letGo() {
        guard below.letGo() else { return }
        if undoHistory == nil && observers.steps.isEmpty {
            // The capacity is kept for the next call.
            steps.removeAll(keepingCapacity: steps.count < 100)
            return observers.notify(of: version, [])
        }
        let done = steps
        steps = []
        undoHistory?.take(done)
        observers.notify(of: version, done)
    }

    /// A reader one level up. The caller ends it if it was opened for this call.
    func openBelow() throws -> any StoreReader {
        try begin()
        return try below.open()
    }

    /// A reader of the shown contents, for an overlay over this one. The caller ends it.
    package func openLayer() throws -> any StoreReader {
        try begin()
        return try below.open { reader in
            if !isInCall { try follow(reader, below.state(of: reader)) }
            return try OverlayReader(reader, self)
        }
    }

    /// Adjusts the changes to what others have made of their records one level up. No observer is notified: the new
    /// contents are read for the first time.
    private func follow(_ reader: any StoreReader, _ state: BelowState?) throws {
        guard isFollowing, let state, state != followed || !setBack.isEmpty, !pending.isEmpty else { return }
        let all = state == followed ? pending.only(setBack) : pending
        let changes = try all.following(reader, schema, mergeRules)
        followed = state
        setBack = []
        if changes.isEmpty { return }
        version &+= 1
        followings &+= 1
        observers.pass(version)
        showing.corrections = nil
        for (entity, key, change) in changes {
            let before = pending.change(key, of: entity)
            pending.put(change, key, of: entity)
            noteLookups(key, entity, before)
        }
    }

    /// Ends cursors, and drops values computed for the last version.
    func newVersion() { version &+= 1 }

    /// Whether a state one level up is known to hold the base of every change.
    func areBases(in reader: any StoreReader) -> Bool {
        baseState != nil && baseState == below.state(of: reader)
    }

    /// The same for the newest state, to which the changes are then adjusted.
    func areBasesNewest() throws -> Bool { try withBelow { areBases(in: $0) } }

    /// The changes of an entity among the shown changes with a `number`.
    func pendingRows(of entity: Int, _ shown: PendingChanges, _ number: Int) -> PendingRows {
        pendingRows.rows(of: entity, shown, number, version)
    }

    /// Reads the contents that the overlay shows.
    func withReader<T>(_ body: (OverlayReader) throws -> T) throws -> T {
        try withBelow { try body(try OverlayReader($0, self)) }
    }

    /// Sets the state of a record. Everything that changes the shown contents goes through here.
    func set(
        _ current: StoredRow?, _ key: StoredValue, of entity: Int, before: StoredRow?,
        changed: ChangedAttributes = ChangedAttributes()
    ) {
        version &+= 1
        noteShowing(current, key, of: entity)
        let state = below.lease?.state
        if state == nil || state != baseState {
            let isFirst = pending.isEmpty
            baseState = isFirst ? state : nil
            if isFirst { followed = state }
        }
        let change = pending.set(current, key, of: entity, below: before, changed: changed)
        if baseState == nil, pending.change(key, of: entity)?.isSetBack(since: change) == true {
            setBack.insert(RecordChange.Place(entity: entity, key: key))
        }
        steps.append(
            Step(
                entity: entity, key: key, change: change, before: before, after: current, added: changed.added,
                isNoted: undoHistory?.isEnabled == true))
        noteLookups(key, entity, change)
    }

    /// Takes back all steps after `count`, and restores the base state.
    func takeBack(to count: Int, _ state: BelowState?) {
        baseState = state
        if steps.count > count {
            version &+= 1
            showing.corrections = nil
        }
        while steps.count > count, let step = steps.popLast() {
            let change = pending.change(step.key, of: step.entity)
            pending.put(step.change, step.key, of: step.entity)
            noteLookups(step.key, step.entity, change)
        }
    }

    /// Notes that the value of an attribute of a new record was not set by hand.
    func noteAssigned(_ position: Int, _ key: StoredValue, of entity: Int) {
        guard var change = pending.change(key, of: entity), change.isNew, !change.assigned.contains(position) else {
            return
        }
        change.assigned.insert(position)
        pending.put(change, key, of: entity)
    }

    /// For each entity that assigns keys, the greatest key that was set by hand.
    var takenKeys: [Int: Int64] {
        get { pending.takenKeys }
        set { pending.takenKeys = newValue }
    }

    /// Whether a call such as a savepoint is running. The pending changes are not replaced during a call.
    var isInCall: Bool { below.isHeld }

    /// Excludes the steps of the running call from undo.
    func forgetSteps(from first: Int) {
        for number in steps.indices.dropFirst(first) { steps[number].isNoted = false }
    }

    /// Sets records back to their state one level up. A savepoint that fails takes this back; undo does not.
    func drop(_ dropped: PendingChanges) throws {
        try withBelow { _ in
            // Must happen before the end of the call, which hands its steps over.
            let first = steps.count
            defer { forgetSteps(from: first) }
            for entity in dropped.entities {
                for (key, change) in dropped.changes(of: entity) {
                    set(change.base, key, of: entity, before: change.current)
                }
            }
            // Without the dropped changes, the bases of the others may come from several states.
            baseState = nil
        }
    }

    /// Replaces the pending changes: after a save, a refresh, a reset. Not called while ``isInCall``.
    package func replace(_ pending: PendingChanges) {
        let old = self.pending
        version &+= 1
        self.pending = pending
        baseState = nil
        followed = nil
        setBack = []
        resetShowing()
        lookups = PendingLookups()
        steps = []
        if !isInCall { observers.notify(of: version, visibleSteps(from: old)) }
    }

    /// The steps that a replacement amounts to for records that were pending before or are now. A saved record shows no
    /// difference.
    private func visibleSteps(from old: PendingChanges) -> [Step] {
        // One read for all records.
        let held = try? hold()
        defer { if held != nil { letGo() } }
        var found: [Step] = []
        for entity in schema.entities.indices {
            let (before, now) = (old.changes(of: entity), pending.changes(of: entity))
            for key in Set(before.keys).union(now.keys).sorted() {
                // A record that cannot be read now is left out: the next read throws the reason.
                guard case .success(let after) = Result(catching: { try visible(key, of: entity) }) else { continue }
                let was = before[key].map(\.current) ?? now[key]?.base
                found.append(Step(entity: entity, key: key, change: before[key], before: was, after: after))
            }
        }
        return found
    }

    /// One of the lookups of an entity, by its number in ``EntityRules/lookups``.
    func lookup(_ number: Int, of entity: Int) -> PendingLookup {
        lookups.lookups(of: entity) {
            rules[entity].lookups.map { PendingLookup($0, pending.changes(of: entity)) }
        }[number]
    }

    private func noteLookups(_ key: StoredValue, _ entity: Int, _ before: PendingChanges.Change?) {
        guard let made = lookups.made(of: entity) else { return }
        let after = pending.change(key, of: entity)?.current
        for lookup in made { lookup.replace(key, before?.current, by: after) }
    }

    package func end() {
        isEnded = true
        found = nil
        below.end()
    }

    // MARK: Reading

    package var transactionNumber: UInt64 { (try? withBelow { $0.transactionNumber }) ?? 0 }

    package func find(_ key: Cell, in entity: Int) throws -> Row? {
        found = try visible(StoredValue(key), of: entity)
        return found?.row
    }

    /// The record with a key as the overlay shows it.
    func visible(_ key: StoredValue, of entity: Int) throws -> StoredRow? {
        try withBelow { below in
            // The store rejects a position without an entity.
            if schema.entities.indices.contains(entity), let change = try shownChange(key, of: entity) {
                return change.current
            }
            return try key.withCell { key in
                guard let row = try below.find(key, in: entity) else { return nil }
                return StoredRow(row)
            }
        }
    }

    package func rows(_ request: FetchRequest) throws -> any RowCursor { try cursor { try $0.rows(request) } }

    private func cursor(_ make: (OverlayReader) throws -> any RowCursor) throws -> any RowCursor {
        try withBelow { reader in
            OverlayCursor(self, try make(try OverlayReader(reader, self)), below.lease)
        }
    }
}
