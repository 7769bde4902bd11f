public import Observation

/// The records of a request for a SwiftUI view, or whatever else uses the Observation framework.
///
/// ```swift
/// @State private var artists = ObservedRecords(Artist.sorted(by: \.name), in: stack)
/// var body: some View { List(artists.records) { Text($0.name) } }
/// ```
///
/// `in` takes a stack or the main context. Empty until the first read has ended; follows as long as it lives.
@MainActor @Observable public final class ObservedRecords<Fetched: Sendable> {
    /// Records, or tuples of a record and what is loaded with it.
    public private(set) var records: [Fetched] = []
    /// Whether the records have been read.
    public private(set) var isLoaded = false
    /// Why it follows no longer, if it does not.
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
