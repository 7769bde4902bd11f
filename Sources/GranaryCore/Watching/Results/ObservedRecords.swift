public import Observation

/// The records of a request for a SwiftUI view, or for other users of the Observation framework.
///
/// ```swift
/// @State private var artists = ObservedRecords(Artist.sorted(by: \.name), in: stack)
/// var body: some View { List(artists.records) { Text($0.name) } }
/// ```
///
/// `in` takes a stack or the main context. The records are empty until the first read has ended. They are updated as
/// long as this object lives.
@MainActor @Observable public final class ObservedRecords<Fetched: Sendable> {
    /// Records, or tuples of a record and its loaded related records.
    public private(set) var records: [Fetched] = []
    /// Whether the records have been read.
    public private(set) var isLoaded = false
    /// The error that ended the updates; nil while they go on.
    public private(set) var failure: (any Error)?

    @ObservationIgnored private let task = FollowingTask()

    public init<Root>(_ request: Request<Root, Fetched>, in source: some ObservationSource) {
        task.set(
            Task { [weak self] in
                do {
                    for try await records in source.observe(request) { self?.show(records) }
                } catch {
                    self?.failure = error
                }
            })
    }

    deinit { task.cancel() }

    private func show(_ records: [Fetched]) {
        self.records = records
        isLoaded = true
    }
}
