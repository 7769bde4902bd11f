import GranaryPlatform
import GranaryStoreKit
import Synchronization

/// The connections for reading of a store, and its open reads.
///
/// Most reads take a microsecond, so threads that read at the same time have connections in different shards. A connection
/// stays in a shard until a thread of another one needs it, which has none.
final class SessionPool: Sendable {
    private let shards: Shards<SessionShard>
    private let source: SessionSource

    init(_ path: String, _ catalog: Catalog, _ options: SQLiteOptions) {
        let source = SessionSource(path, catalog, options)
        self.source = source
        // As many as the kept connections, so that each shard can keep one.
        shards = Shards(most: max(1, options.tuning.idleReaders)) { SessionShard(source) }
        let (kept, rest) = options.tuning.idleReaders.quotientAndRemainder(dividingBy: shards.all.count)
        for (number, shard) in shards.all.enumerated() { shard.setKept(kept + (number < rest ? 1 : 0)) }
    }

    /// Takes a session for one read: an idle one, or a new one.
    ///
    /// - Returns: The session, and the shard that gets it back.
    func take() throws -> (session: Session, home: SessionShard) {
        let own = shards.own
        if let session = try own.take() { return (session, own) }
        return try takeElsewhere(own)
    }

    @inline(never) private func takeElsewhere(_ own: SessionShard) throws -> (session: Session, home: SessionShard) {
        for shard in shards.all where shard !== own {
            // It moves to the shard of this thread, so that the next read finds it there.
            if let session = try shard.giveAway() { return (session, add(session, near: own)) }
        }
        let session = try source.open()
        return (session, add(session, near: own))
    }

    /// Adds a session that begins a read to a shard that may keep it. If none may, it is closed after its read.
    private func add(_ session: Session, near own: SessionShard) -> SessionShard {
        let home = own.hasPlace ? own : shards.all.first { $0.hasPlace } ?? own
        home.add(session)
        return home
    }

    /// Lets the first read use a connection that is already open. Called before the store is used.
    func keep(_ connection: Connection) { shards.own.addIdle(source.session(over: connection)) }

    /// A shard for transactions that need what all of them know, and put no session back.
    var any: SessionShard { shards.own }

    /// Whether sessions may hold states between reads. While one writes, none may.
    func setWriting(_ isWriting: Bool) { for shard in shards.all { shard.setWriting(isWriting) } }

    /// Closes the idle sessions.
    func dropIdle() { for shard in shards.all { shard.dropIdle() } }

    /// From now on no read begins. Idle sessions are closed; used ones are when they are given back.
    func close() { for shard in shards.all { shard.dropIdle(closing: true) } }

    // MARK: Looking at open reads

    /// Begins the next age of reads, and returns its number.
    func beginAge() -> Int { source.age.add(1, ordering: .acquiringAndReleasing).newValue }

    /// Whether a read is open that perhaps began before an age did.
    func hasRead(before age: Int) -> Bool { shards.all.contains { $0.hasRead(before: age) } }

    /// The number of states held between reads.
    var heldStates: Int { shards.all.reduce(0) { $0 + $1.heldStates } }
}
