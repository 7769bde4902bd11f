public import GranaryCore
import GranaryPlatform

/// Makes records of a type with defaults, so that a test says only what matters to it.
///
/// ```swift
/// let artists = Factory<Artist> { Artist(id: Int64($0), name: "Artist \($0)") }
/// let songs = Factory<Song> { Song(id: Int64($0), title: "Song \($0)", plays: 0) }
/// let popular = songs.with { $0.plays = 1_000 }
///
/// try await stack.write { tx in
///     let nina = try artists.insert(in: tx) { $0.name = "Nina Simone" }
///     try popular.insert(3, in: tx) { $0.artist = Ref(nina) }
/// }
/// ```
///
/// The closure gets the number of the record: 1 for the first, 2 for the next. Factories made by ``with(_:)`` share the
/// sequence, so that keys and unique values stay different. It may be used from any thread.
public struct Factory<R: Record>: Sendable {
    private let sequence: Sequence
    private let build: @Sendable (Int) throws -> R

    /// The numbers of the records.
    private final class Sequence: Sendable {
        private let lock = Lock()
        // Read and written only while `lock` is held.
        nonisolated(unsafe) private var last = 0

        func next() -> Int {
            lock.withLock {
                last += 1
                return last
            }
        }
    }

    /// - Parameter build: Makes a record with its defaults. It gets the record's number, from 1.
    public init(_ build: @escaping @Sendable (_ number: Int) throws -> R) {
        sequence = Sequence()
        self.build = build
    }

    /// A factory with further defaults, for a variant of the record. It takes its numbers from the same sequence.
    public func with(_ change: @escaping @Sendable (inout R) throws -> Void) -> Factory {
        Factory(sequence) { [build] number in
            var record = try build(number)
            try change(&record)
            return record
        }
    }

    private init(_ sequence: Sequence, _ build: @escaping @Sendable (Int) throws -> R) {
        self.sequence = sequence
        self.build = build
    }

    /// A record with the next number. It is in no store.
    public func make(_ change: (inout R) throws -> Void = { _ in }) throws -> R {
        var record = try build(sequence.next())
        try change(&record)
        return record
    }

    /// Several records. They are in no store.
    public func make(_ count: Int, _ change: (inout R) throws -> Void = { _ in }) throws -> [R] {
        try (0..<max(0, count)).map { _ in try make(change) }
    }

    /// Makes a record and inserts it into a transaction or a context.
    ///
    /// - Returns: The record with its key.
    /// - Throws: What the insertion throws.
    @discardableResult public func insert(
        in context: Context, _ change: (inout R) throws -> Void = { _ in }
    ) throws -> R {
        try make(change).insert(in: context)
    }

    /// Makes several records and inserts them, in their order.
    ///
    /// - Returns: The records with their keys.
    @discardableResult public func insert(
        _ count: Int, in context: Context, _ change: (inout R) throws -> Void = { _ in }
    ) throws -> [R] {
        try make(count, change).map { try $0.insert(in: context) }
    }
}
