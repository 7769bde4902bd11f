// Everything a context shows and does goes through here: it looks like a store's writer, so that every way of asking and
// of writing there is works on it unchanged. It reads one level up for the length of a call and keeps nothing open.

/// Pending changes over what is one level up - a store, or another overlay - as one writer.
package final class Overlay: StoreWriter {
    /// One record set to something: what a savepoint takes back, and what undo goes by.
    struct Step {
        var entity: Int
        var key: StoredValue
        /// The pending change there was before, and the record as it was seen.
        var change: PendingChanges.Change?
        var before: StoredRow?
        var after: StoredRow?
        /// Attributes to which something was added.
        var added = AttributeSet()
        /// Whether undo was switched on when it was made.
        var isNoted = false
    }

    package let schema: Schema
    let coordinator: StoreCoordinator
    /// What the store holds at most.
    package var limits = Capabilities.Limits()
    private(set) package var pending: PendingChanges
    /// What the call under way has done, in order; empty between calls.
    private(set) var steps: [Step] = []
    var savepoints: [Savepoint] = []
    /// The keys that were reserved since the outermost savepoint began.
    var reservedKeys = ReservedKeys()
    /// The references that are still to be checked.
    var deferred = DeferredChecks()
    /// Is given the steps of each outermost call; nil where nothing is undone.
    var undoHistory: UndoHistory?
    /// Grows whenever what is shown may have changed: cursors made before end.
    private(set) var version = 0
    let observers = OverlayObservers()
    private(set) var isEnded = false
    /// The contents that the changes belong to, and what is called when they are gone: it throws, or drops the changes. Nil of
    /// an overlay that lives for one call.
    var generation: ContextGeneration?
    var noticeReset: (() throws -> Void)?
    private let below: LevelBelow
    /// The record found last, which is lent until the next call.
    private var found: StoredRow?
    private(set) lazy var rules = EntityRules.all(of: schema)
    private(set) lazy var mergeRules = MergeRules.all(of: schema)
    /// For each entity: `new`, links may get another key or place when they are shown; `deleted`, deletions may cascade
    /// further.
    private(set) lazy var corrected = zip(mergeRules, rules).map { (new: $0.linked != nil, deleted: $1.isFollowed) }
    var showing = Showing()
    private var lookups = PendingLookups()
    private var pendingRows = PendingRowsCache()
    /// The state one level up from which the base of every change is; nil if they are from several.
    private(set) var baseState: BelowState?
    /// Whether changes follow what is one level up: not while they are saved, or may be saved already.
    var isFollowing = true { didSet { followed = nil } }
    /// The state one level up that the changes followed last; nil if they must be looked at.
    private var followed: BelowState?
    /// Records of which an attribute was set back to its base since then: the next call follows that state in these.
    private var setBack: Set<RecordChange.Place> = []
    /// How often they followed another state.
    private(set) var followings = 0

    /// What a call that fails brings back. It fails before it takes a key, so that of those nothing has to be kept, which
    /// would be a copy for each record.
    struct Moment {
        var steps: Int
        var deferred: Int
        var baseState: BelowState?
    }

    /// What a savepoint brings back.
    struct Savepoint {
        var moment: Moment
        var deferredParts: [Int]
        var takenKeys: [Int: Int64]
        /// Where the keys begin that were reserved in it.
        var reservedKeys: ReservedKeys.Mark
    }

    /// Over a state that is opened for each call.
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

    /// Over one state, which the maker ends.
    package init(_ schema: Schema, _ coordinator: StoreCoordinator, over reader: any StoreReader) {
        self.schema = schema
        self.coordinator = coordinator
        pending = PendingChanges(schema)
        below = LevelBelow(endsReaders: false) { reader }
    }

    /// Reads one level up. Calls within each other read the same state.
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
            // The store may have been reset between the two.
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

    /// The outermost hold is the end of a call: what it did is handed over.
    func letGo() {
        guard below.letGo() else { return }
        if undoHistory == nil && observers.steps.isEmpty {
            // The room is for the next call.
            steps.removeAll(keepingCapacity: steps.count < 100)
            return observers.notify(of: version, [])
        }
        let done = steps
        steps = []
        undoHistory?.take(done)
        observers.notify(of: version, done)
    }

    /// A reader one level up that the caller ends, if it was opened for it.
    func openBelow() throws -> any StoreReader {
        try begin()
        return try below.open()
    }

    /// A reader of what the overlay shows, for an overlay on it. The caller ends it.
    package func openLayer() throws -> any StoreReader {
        try begin()
        return try below.open { reader in
            if !isInCall { try follow(reader, below.state(of: reader)) }
            return try OverlayReader(reader, self)
        }
    }

    /// What tells the state that it shows from others.
    func stateAsLayer() throws -> BelowState {
        let reader = try openLayer()
        defer { reader.end() }
        return BelowState(reader)
    }

    /// Has the changes follow what others have made of their records one level up. No call is told of it: what it shows is
    /// read for the first time.
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

    /// Ends cursors, and drops what was computed for the last version.
    func newVersion() { version &+= 1 }

    /// Whether the base of every change is known to be what is in a state one level up.
    func areBases(in reader: any StoreReader) -> Bool {
        baseState != nil && baseState == below.state(of: reader)
    }

    /// The same of the newest state, which the changes follow then.
    func areBasesNewest() throws -> Bool { try withBelow { areBases(in: $0) } }

    /// The changes of an entity, of those that are shown; `number` is theirs.
    func pendingRows(of entity: Int, _ shown: PendingChanges, _ number: Int) -> PendingRows {
        pendingRows.rows(of: entity, shown, number, version)
    }

    /// Reads what the overlay shows.
    func withReader<T>(_ body: (OverlayReader) throws -> T) throws -> T {
        try withBelow { try body(try OverlayReader($0, self)) }
    }

    /// Everything that changes what is shown goes through here.
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

    /// Takes back all steps after `count`, and what the changes began from with them.
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

    /// Notes that an attribute of a new record has a value that was not given to it by hand.
    func noteAssigned(_ position: Int, _ key: StoredValue, of entity: Int) {
        guard var change = pending.change(key, of: entity), change.isNew, !change.assigned.contains(position) else {
            return
        }
        change.assigned.insert(position)
        pending.put(change, key, of: entity)
    }

    /// The greatest key given by hand, of each entity that assigns keys.
    var takenKeys: [Int: Int64] {
        get { pending.takenKeys }
        set { pending.takenKeys = newValue }
    }

    /// Whether a call is under way, such as a savepoint: what is pending is not replaced then.
    var isInCall: Bool { below.isHeld }

    /// Has the steps of the call under way not noted for undo.
    func forgetSteps(from first: Int) {
        for number in steps.indices.dropFirst(first) { steps[number].isNoted = false }
    }

    /// Sets records back to what they were one level up, which the end of a savepoint can take back, and undo cannot.
    func drop(_ dropped: PendingChanges) throws {
        try withBelow { _ in
            // Before the end of the call, which hands its steps over.
            let first = steps.count
            defer { forgetSteps(from: first) }
            for entity in dropped.entities {
                for (key, change) in dropped.changes(of: entity) {
                    set(change.base, key, of: entity, before: change.current)
                }
            }
            // The rest may not be what it would have been without what is dropped.
            baseState = nil
        }
    }

    /// Replaces what is pending: after a save, a refresh, a reset. Not called while ``isInCall``.
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

    /// What a replacement has done to the records that were pending before or are now: nothing, where they were saved.
    private func visibleSteps(from old: PendingChanges) -> [Step] {
        // One read for all of them.
        let held = try? hold()
        defer { if held != nil { letGo() } }
        var found: [Step] = []
        for entity in schema.entities.indices {
            let (before, now) = (old.changes(of: entity), pending.changes(of: entity))
            for key in Set(before.keys).union(now.keys).sorted() {
                // Who cannot be read now is left out: the next read will say why.
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

    // Reading

    package var transactionNumber: UInt64 { (try? withBelow { $0.transactionNumber }) ?? 0 }

    package func find(_ key: Cell, in entity: Int) throws -> Row? {
        found = try visible(StoredValue(key), of: entity)
        return found?.row
    }

    /// The record with a key as the overlay shows it.
    func visible(_ key: StoredValue, of entity: Int) throws -> StoredRow? {
        try withBelow { below in
            // The store refuses a position that has no entity.
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

    package func count(_ request: FetchRequest) throws -> Int { try withReader { try $0.count(request) } }
    package func explain(_ request: FetchRequest) throws -> QueryPlan { try withReader { try $0.explain(request) } }
    package func lastAssignedKey(of entity: Int) throws -> Int64 {
        try withReader { try $0.lastAssignedKey(of: entity) }
    }
    package func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try withBelow { try $0.history(after: number, limit: limit) }
    }
}
