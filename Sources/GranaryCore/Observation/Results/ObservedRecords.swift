#if canImport(Observation)
    public import Observation

    /// The records of a query for a SwiftUI view, or whatever else uses the Observation framework.
    ///
    /// ```swift
    /// @State private var artists = ObservedRecords(Artist.sorted(by: \.name), in: stack)
    /// var body: some View { List(artists.records) { Text($0.name) } }
    /// ```
    ///
    /// Empty until the first read has ended; follows as long as it lives.
    @MainActor @Observable public final class ObservedRecords<R: Record> {
        public private(set) var records: [R] = []
        /// Whether the records have been read.
        public private(set) var isLoaded = false
        /// Why it follows no longer, if it does not.
        public private(set) var failure: (any Error)?

        @ObservationIgnored private let task = FollowingTask()

        public init(_ query: Query<R>, in stack: Stack) {
            task.set(
                Task { [weak self] in
                    do {
                        for try await records in stack.observe(query) { self?.show(records) }
                    } catch {
                        self?.failure = error
                    }
                })
        }

        deinit { task.cancel() }

        private func show(_ records: [R]) {
            self.records = records
            isLoaded = true
        }
    }
#endif
