import GranaryCore

/// One store with contexts that have no changes, one and many.
final class ContextBench {
    /// How long the yardstick took, and what is measured by it.
    typealias Times = (yardstick: Duration, measured: Duration)

    let name: ContextSubjectName
    private let stack: Stack
    /// By how many songs are changed: the context, and what it must show.
    private var contexts: [Int: (context: EditContext, songs: [Song], artists: [Artist])] = [:]
    private let songCount: Int
    private let reviews: [Review]
    private let folder: String
    private var byKey: ObserverBench?
    private var byGenre: ObserverBench?

    init(_ name: ContextSubjectName, rows: Int, reviewCount: Int, folder: String) throws {
        self.name = name
        self.folder = "\(folder)/\(name.rawValue)"
        let catalogue = Catalogue(artistCount: rows / 10, songsPerArtist: 10)
        stack = try name.open(in: self.folder + "/contexts")
        songCount = catalogue.songCount
        reviews = Review.made(reviewCount, songCount: songCount)
        try stack.blocking.write { transaction in
            try transaction.insert((1...catalogue.artistCount).map { catalogue.artist($0) })
            try transaction.insert((1...catalogue.songCount).map { catalogue.song($0) })
        }
        for count in [0, 1, PendingSongs.most] {
            let pending = PendingSongs(of: catalogue, count: count)
            let context = try stack.makeContext(named: "\(count) changed")
            try pending.make(in: context)
            contexts[count] = (context, pending.applied(to: catalogue), pending.appliedToArtists(of: catalogue))
        }
    }

    /// - Parameter yardstickFirst: Which of the two is timed first.
    func run(_ workload: ContextWorkload, yardstickFirst: Bool) throws -> Times {
        if let question = workload.question {
            let context = try shown(by: workload).context
            return try inTurn(
                yardstickFirst, yardstick: { try timed(workload.repeats) { try ask(question) } },
                measured: { try timed(workload.repeats) { try ask(question, context) } })
        }
        switch workload {
        case .observers: return try followedByKey().run { try $0.commit().commit }
        case .observersByGenre: return try followedByGenre().run { try $0.commit().commit }
        case .notice: return try followedByGenre().run { try $0.commit().notice }
        default:
            return try inTurn(
                yardstickFirst, yardstick: { try timeTransaction() }, measured: { try timeWriting(workload) })
        }
    }

    /// Compares the answers with those worked out from the catalogue alone.
    func check(_ workload: ContextWorkload) throws {
        guard let question = workload.question else { return }
        let (context, songs, artists) = try shown(by: workload)
        let (got, wanted) = (
            try ask(question, context).digest, question.answer(of: songs, artists, songCount: songCount).digest
        )
        guard got == wanted else {
            throw BenchmarkError("\(name.rawValue) gave a wrong answer in \(workload.rawValue): \(got), not \(wanted).")
        }
    }

    private func shown(
        by workload: ContextWorkload
    ) throws -> (context: EditContext, songs: [Song], artists: [Artist]) {
        guard let found = contexts[workload.pendingCount] else {
            throw BenchmarkError("No context has \(workload.pendingCount) changed songs.")
        }
        return found
    }

    func close() throws {
        for (context, _, _) in contexts.values { context.reset() }
        try byKey?.close()
        try byGenre?.close()
        try stack.blocking.close()
    }

    private func followedByKey() throws -> ObserverBench {
        if let byKey { return byKey }
        let bench = try ObserverBench(name, folder: folder + "/by-key") { _, number in
            Song.where { $0.id == Int64(number + 1) }
        }
        byKey = bench
        return bench
    }

    private func followedByGenre() throws -> ObserverBench {
        if let byGenre { return byGenre }
        let bench = try ObserverBench(name, folder: folder + "/by-genre") { catalogue, number in
            let genre = catalogue.genre(number)
            return Song.where { $0.genre == genre }
        }
        byGenre = bench
        return bench
    }

    private func ask(_ question: ContextQuestion) throws -> Answer {
        try stack.blocking.read { try question.answer(in: $0, songCount: songCount) }
    }

    private func ask(_ question: ContextQuestion, _ context: EditContext) throws -> Answer {
        try question.answer(in: context, songCount: songCount)
    }

    private func timeTransaction() throws -> Duration {
        let time = try timed { try stack.blocking.write { transaction in _ = try transaction.insert(reviews) } }
        try takeBack()
        return time
    }

    private func timeWriting(_ workload: ContextWorkload) throws -> Duration {
        let context = try stack.makeContext(named: "writing")
        switch workload {
        case .insert:
            defer { context.reset() }
            return try timed { try context.insert(reviews) }
        case .insertEach:
            defer { context.reset() }
            return try timed { for review in reviews { try context.insert(review) } }
        default:
            try context.insert(reviews)
            let time = try timed { _ = try context.blocking.save() as SaveResult }
            try takeBack()
            return time
        }
    }

    /// Deletes what was written, of which nothing may be missing.
    private func takeBack() throws {
        let found = try stack.blocking.read { try $0.fetch(Review.all) }
        guard found == reviews else { throw BenchmarkError("\(name.rawValue) has not kept what was written.") }
        try stack.blocking.write { transaction in _ = try Review.deleteAll(in: transaction) }
    }

    private func inTurn(
        _ yardstickFirst: Bool, yardstick: () throws -> Duration, measured: () throws -> Duration
    ) rethrows -> Times {
        if yardstickFirst {
            let first = try yardstick()
            return (first, try measured())
        }
        let first = try measured()
        return (try yardstick(), first)
    }

    // Never inlined, for profilers.
    @inline(never) private func timed<T>(_ repeats: Int = 1, _ body: () throws -> T) rethrows -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<repeats { _ = try body() }
        return start.duration(to: clock.now) / repeats
    }
}
