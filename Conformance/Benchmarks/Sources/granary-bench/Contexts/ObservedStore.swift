import Dispatch
import GranaryCore
import Synchronization

/// A store of its own with loops that follow queries of it: a commit here matters to the first of them alone.
final class ObservedStore {
    private let stack: Stack
    private let arrivals = Arrivals()
    private var song: Song
    private var commits = 0

    /// - Parameter query: What the loop with a number, from 0, follows; the first one's names the song 1.
    init(
        _ name: ContextSubjectName, observers: Int, folder: String, _ query: (Catalogue, Int) -> Query<Song>
    ) throws {
        let catalogue = Catalogue(artistCount: 100, songsPerArtist: 10)
        let stack = try name.open(in: folder)
        song = catalogue.song(1)
        song.genre = catalogue.genre(0)
        try stack.blocking.write { [song] transaction in
            try transaction.insert((1...catalogue.artistCount).map { catalogue.artist($0) })
            try transaction.insert([song] + (2...catalogue.songCount).map { catalogue.song($0) })
        }
        self.stack = stack
        for number in 0..<observers {
            let query = query(catalogue, number)
            // Ends with the stack.
            Task { [arrivals] in
                for try await _ in stack.observe(query) { arrivals.note() }
            }
        }
        for _ in 0..<observers { _ = try arrivals.next() }
    }

    /// Changes the song. How long the commit took, and how much later the loop had the new answer.
    func commit() throws -> (commit: Duration, notice: Duration) {
        commits += 1
        song.title = "title \(commits)"
        let clock = ContinuousClock()
        let start = clock.now
        try stack.blocking.write { [song] transaction in try transaction.update(song) }
        let end = clock.now
        return (start.duration(to: end), max(.zero, end.duration(to: try arrivals.next())))
    }

    func close() throws { try stack.blocking.close() }
}

/// When answers came.
private final class Arrivals: Sendable {
    private let times = Mutex<[ContinuousClock.Instant]>([])
    private let semaphore = DispatchSemaphore(value: 0)

    func note() {
        times.withLock { $0.append(ContinuousClock.now) }
        semaphore.signal()
    }

    /// The next one's time.
    func next() throws -> ContinuousClock.Instant {
        guard semaphore.wait(timeout: .now() + 10) == .success else {
            throw BenchmarkError("An observer was not told of a change.")
        }
        return times.withLock { $0.removeFirst() }
    }
}
