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
    public var onFailure: ((any Error) -> Void)?

    private let source: ObservedSource
    private let observed: ObservedQuery<FetchedRows<Fetched>>
    private let following = FollowingTask()
    private var context: LiveContextQuery<FetchedRows<Fetched>>?
    private var shown = FetchedRows<Fetched>()
    private var places: [StoredValue: Int]?

    /// Shows the results of a request in a stack or a context. Records are put into sections; other results are one
    /// section.
    public init<R: Record>(
        _ request: Request<R, Fetched>, in source: some ObservationSource, sections: FetchedSections<R> = .none
    ) {
        self.request = request.untyped
        self.source = source._source
        observed = ObservedQueries.sections(request, sections)
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
                        if !ObservationEnd.isEnd(error) { self.onFailure?(error) }
                    }
                }
            })
    }

    private func follow(_ live: LiveQuery<FetchedRows<Fetched>>) {
        following.set(
            Task { [weak self] in
                do {
                    while let rows = try await live.next() { self?.take(rows) }
                } catch {
                    self?.onFailure?(error)
                }
            })
    }

    private func show(_ rows: FetchedRows<Fetched>) {
        shown = rows
        places = nil
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

    /// The records section by section; empty before the first fetch.
    public var fetchedRecords: [Fetched] { shown.records }
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

    /// The record at a path, or nil.
    public subscript(path: FetchedPath) -> Fetched? {
        guard sections.indices.contains(path.section) else { return nil }
        let range = sections[path.section].range
        return path.item >= 0 && path.item < range.count ? shown.records[range.lowerBound + path.item] : nil
    }

    /// The path of the record with a key; nil if it is not shown. Cost: the first call after a change builds a table of
    /// all keys.
    public func path<Key: RecordKey>(of key: Key) throws -> FetchedPath? {
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
