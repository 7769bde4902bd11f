import Logging

/// The records of a query for a list on screen, in sections, with the difference after each change.
///
/// ```swift
/// let songs = Song.sorted(by: \.album.title).sorted(by: \.title)
/// let results = FetchedResults(songs, in: stack, sections: .by(\.album.title))
/// results.onChange = { changes in tableView.apply(changes) }
/// try await results.performFetch()
/// results.sections[0].name; results[FetchedPath(section: 0, item: 3)].title
/// ```
///
/// If the request loads relationships, records come with their related records: `results[path]` is then a tuple.
/// ``FetchedChanges/relatedUpdates`` lists unchanged records whose related records have changed.
///
/// ```swift
/// let results: FetchedResults<(Artist, [Album])>
/// results = FetchedResults(Artist.sorted(by: \.name).with(\.albums), in: stack)
/// ```
///
/// Over a stack it follows commits, by any writer. Over an `EditContext` it also follows the context's own changes
/// before they are saved. A record that begins to meet the condition is an insertion, and one that ceases to meet it is
/// a deletion, even if the cause is a change of a related record. Changes are reported after the work that made them,
/// when the main actor is free: several in a row are reported as one.
///
/// A list of many records is read in batches: with `batchSize`, as `fetchBatchSize` in Core Data, it holds the key and a
/// hash of each row, and the records of the last 16 batches that were asked for. All changes are reported as above.
///
/// ```swift
/// let results = FetchedResults(Song.sorted(by: \.title), in: stack, batchSize: 100)
/// ```
///
/// A batch is read when `results[path]` asks for one of its records, on the main thread, or before by
/// ``prefetch(_:)``. It is read in the newest state: a record that has been deleted since is nil, and the change is
/// reported next. ``FetchedSections/counted(by:_:)`` holds no keys either.
///
/// Sections come in the order of their first records. To give sections an order of their own, order the query by the
/// section's value first.
///
/// Over a stack, records are read on the stack's reader threads. The shown records change on the main actor only, just
/// before ``onChange`` is called. When the stack closes, the updates end without an error, and the shown records stay.
@MainActor public final class FetchedResults<Fetched: Sendable> {
    /// The request without its types.
    public let request: AnyRequest
    /// Called before each change of the shown records, with the coming changes. The records and sections are still the
    /// old ones, so a deleted record can still be read by its old path. Not called by `performFetch`.
    public var onWillChange: ((FetchedChanges) -> Void)?
    /// Called after each change of the shown records, but not by `performFetch`.
    public var onChange: ((FetchedChanges) -> Void)?
    /// Called when updates end because of an error: the store fails, or a value cannot be read. The shown records stay.
    /// Also called when a batch of records cannot be read.
    public var onFailure: ((any Error) -> Void)?

    private let source: ObservedSource
    private let observed: ObservedQuery<FetchedRows<Fetched>>
    private let following = FollowingTask()
    private var context: LiveContextQuery<FetchedRows<Fetched>>?
    private var shown = FetchedRows<Fetched>()
    /// How often the shown rows have changed.
    private var shows = 0
    private var places: [StoredValue: Int]?
    /// Nil if all records are held.
    private var batches: RowBatches<Fetched>?

    /// Shows the results of a request in a stack or a context. Records are put into sections; other results are one
    /// section.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - source: A stack or a context.
    ///   - sections: How records are put into sections.
    ///   - batchSize: The number of records that are read together when one of them is asked for; nil to read and hold
    ///     all. Fetching throws `invalidQuery` if it is less than 1, and with it for requests that load relationships,
    ///     and for sections that a closure names. Sections by counts always have batches, of 100 by default.
    public init<R: Record>(
        _ request: Request<R, Fetched>, in source: some ObservationSource, sections: FetchedSections<R> = .none,
        batchSize: Int? = nil
    ) {
        self.request = request.untyped
        self.source = source._source
        (observed, batches) = ObservedQueries.shown(request, sections, batchSize: batchSize)
    }

    deinit { following.cancel() }

    // MARK: Reading

    fileprivate func performFetchBlocking() throws {
        following.cancel()
        switch source {
        case .stack(let stack):
            let live = LiveQuery(stack, observed)
            show(try live.current())
            follow(live)
        case .context(let context): try fetch(context)
        }
    }

    /// Reads the records outside the main thread, and follows them from then on. A further call reads again; if that
    /// fails, the shown records stay and are no longer updated. A context is read on the main thread.
    public func performFetch() async throws {
        following.cancel()
        switch source {
        case .stack(let stack):
            let live = LiveQuery(stack, observed)
            guard let rows = try await live.next() else {
                throw Task.isCancelled
                    ? GranaryError(.cancelled, "The fetch was cancelled before it had read.") : ObservationEnd.closed
            }
            show(rows)
            follow(live)
        case .context(let context): try fetch(context)
        }
    }

    private func fetch(_ context: EditContext) throws {
        let live = LiveContextQuery(context, observed)
        self.context = live
        show(try live.current())
        let observer = try live.observer()
        following.set(
            Task { [weak self] in
                while await observer.wait() {
                    guard let self, self.context === live else { return }
                    do {
                        if let rows = try live.read() { self.take(rows) }
                    } catch {
                        if !ObservationEnd.isEnd(error) { self.fail(error) }
                    }
                }
            })
    }

    /// Passes an error to ``onFailure``, or else to the stack's `onError`.
    private func fail(_ error: any Error) {
        if let onFailure { return onFailure(error) }
        let stack: Stack? =
            switch source {
            case .stack(let stack): stack
            case .context(let context): try? context.stack
            }
        stack?.report(error, of: .observing, "fetched results could not be brought up to date")
    }

    private func follow(_ live: LiveQuery<FetchedRows<Fetched>>) {
        following.set(
            Task { [weak self] in
                do {
                    while let rows = try await live.next() { self?.take(rows) }
                } catch {
                    self?.fail(error)
                }
            })
    }

    private func show(_ rows: FetchedRows<Fetched>) {
        shown = rows
        shows += 1
        places = nil
        batches?.removeAll()
    }

    private func take(_ rows: FetchedRows<Fetched>) {
        if Task.isCancelled { return }
        let changes = rows.changes(from: shown)
        if !changes.isEmpty { onWillChange?(changes) }
        // A new fetch may have begun in the meantime.
        if Task.isCancelled { return }
        show(rows)
        if !changes.isEmpty { onChange?(changes) }
    }

    // MARK: Shown records

    /// The records section by section; empty before the first fetch. Cost: with batches, it reads all records each time,
    /// and leaves out those that are gone.
    public var fetchedRecords: [Fetched] {
        guard let batches else { return shown.records }
        var records: [Fetched] = []
        let parts = batches.reading.isBySection ? shown.sections.map(\.count) : [shown.count]
        for (section, count) in parts.enumerated() where count > 0 {
            guard let part = reading({ try $0(section, 0..<count) }) else { return [] }
            records += part.compactMap(\.self)
        }
        return records
    }

    /// The number of records in all sections.
    public var count: Int { shown.count }
    /// The number of records that are held now: all of them, or those of a few batches.
    public var heldCount: Int { batches?.count ?? shown.records.count }

    public var sections: [FetchedSection] { shown.sections }

    /// The index titles of the sections, each once, in the order of the sections.
    public var sectionIndexTitles: [String] {
        var titles: [String] = []
        for section in sections where titles.last != section.indexTitle && !titles.contains(section.indexTitle) {
            titles.append(section.indexTitle)
        }
        return titles
    }

    /// The first section with an index title, or nil.
    public func section(forIndexTitle title: String) -> Int? { sections.firstIndex { $0.indexTitle == title } }

    /// The record at a path, or nil. With batches, it may read the batch of the record, on the main thread.
    public subscript(path: FetchedPath) -> Fetched? {
        if let known = batches {
            guard let (batch, item) = known.place(of: path, in: shown) else { return nil }
            if let held = batches?.records(batch) { return held.indices.contains(item) ? held[item] : nil }
            guard let read = reading({ try $0(batch.section, batch.items) }) else { return nil }
            batches?.hold(read, batch)
            return read.indices.contains(item) ? read[item] : nil
        }
        guard sections.indices.contains(path.section) else { return nil }
        let range = sections[path.section].range
        return path.item >= 0 && path.item < range.count ? shown.records[range.lowerBound + path.item] : nil
    }

    /// Reads a part of a section on this thread; nil if that fails, which ``onFailure`` reports.
    private func reading(
        _ body: (_ read: (_ section: Int, _ items: Range<Int>) throws -> [Fetched?]) throws -> [Fetched?]
    ) -> [Fetched?]? {
        guard let reading = batches?.reading else { return nil }
        do {
            switch source {
            case .stack(let stack):
                return try stack.blocking.read { snapshot in try body { try reading.read(snapshot, shown, $0, $1) } }
            case .context(let context): return try body { try reading.read(context, shown, $0, $1) }
            }
        } catch {
            fail(error)
            return nil
        }
    }

    /// Reads the batches of these records before they are shown, away from the main thread, for
    /// `UITableViewDataSourcePrefetching` and its like. A context is read on the main thread. Without batches it does
    /// nothing.
    ///
    /// ```swift
    /// try await results.prefetch(paths)
    /// ```
    public func prefetch(_ paths: [FetchedPath]) async throws {
        guard let reading = batches?.reading else { return }
        var seen: Set<RowBatches<Fetched>.Place> = []
        for path in paths {
            guard let place = batches?.place(of: path, in: shown)?.batch, seen.insert(place).inserted,
                batches?.records(place) == nil
            else { continue }
            let (rows, number) = (shown, shows)
            let records: [Fetched?]
            switch source {
            case .stack(let stack):
                records = try await stack.read { try reading.read($0, rows, place.section, place.items) }
            case .context(let context): records = try reading.read(context, rows, place.section, place.items)
            }
            // Places of a list that has changed meanwhile mean other records.
            if number == shows { batches?.hold(records, place) }
        }
    }

    /// The path of the record with a key; nil if it is not shown. Cost: the first call after a change builds a table of
    /// all keys; with batches, each call goes through all keys.
    ///
    /// - Throws: `invalidQuery` for sections by counts, which hold no keys.
    public func path<Key: RecordKey>(of key: Key) throws -> FetchedPath? {
        if let batches {
            guard !batches.reading.isBySection else {
                throw GranaryError(
                    .invalidQuery, "Sections by counts hold no keys. Use `sections: .by` with a `batchSize`.",
                    entity: request.entity)
            }
            let key = try StoredValue(encoding: key)
            return shown.rows.keys.firstIndex(of: key).map(shown.path)
        }
        if places == nil {
            let keys = shown.rows.keys
            places = Dictionary(zip(keys, keys.indices)) { first, _ in first }
        }
        return places?[try StoredValue(encoding: key)].map(shown.path)
    }
}

extension FetchedResults {
    /// The verbs that block the calling thread.
    public var blocking: Blocking<FetchedResults> { Blocking(self) }
}

extension Blocking {
    /// Reads the records, and follows them from then on: like ``FetchedResults/performFetch()``, blocking the main
    /// thread.
    @MainActor public func performFetch<Fetched>() throws where Base == FetchedResults<Fetched> {
        try base.performFetchBlocking()
    }
}
