import Foundation

/// One subject with its filled stores.
final class CatalogueBench {
    let name: CatalogueSubjectName
    /// Ten songs an artist, for what is only read; a hundred, and one artist more than is deleted, for what deletes.
    private let catalogue: Catalogue
    private let deletable: Catalogue
    private let folder: String
    private var reading: (any CatalogueSubject)?
    private var deleting: (any CatalogueSubject)?

    init(_ name: CatalogueSubjectName, rows: Int, folder: String) {
        self.name = name
        self.folder = "\(folder)/\(name.rawValue)-\(rows)"
        catalogue = Catalogue(artistCount: rows / 10, songsPerArtist: 10)
        deletable = Catalogue(artistCount: rows / 100 + 1, songsPerArtist: 100)
    }

    /// How long one of the workload's questions took, and digests of all their answers.
    func run(_ workload: QueryWorkload, count: Int) throws -> (time: Duration, digests: [AnswerDigest]) {
        if workload == .cascade { return try runCascade() }
        let store = try filled()
        let questions = Question.asked(by: workload, of: catalogue, count: count)
        var answers: [Answer] = []
        answers.reserveCapacity(questions.count)
        let time = try timed { for question in questions { answers.append(try store.answer(question)) } }
        return (time / questions.count, answers.map(\.digest))
    }

    func plan(_ workload: QueryWorkload, count: Int) throws -> String {
        guard workload != .cascade, let question = Question.asked(by: workload, of: catalogue, count: count).first
        else { return "" }
        return try filled().plan(question)
    }

    func close() throws {
        try reading?.close()
        try deleting?.close()
        (reading, deleting) = (nil, nil)
    }

    /// What was deleted is put back after the clock has stopped.
    private func runCascade() throws -> (time: Duration, digests: [AnswerDigest]) {
        let last = deletable.artistCount - 1
        let artists = (1...last).map { deletable.artist($0) }
        let songs = (1...deletable.songCount).map { deletable.song($0) }.filter { $0.artist.key <= last }
        let store: any CatalogueSubject
        if let deleting {
            store = deleting
        } else {
            store = try open("deleting")
            try fill(store, deletable)
            deleting = store
        }
        let time = try timed { try store.deleteArtists(upTo: Int64(last)) }
        let left = try store.answer(.artistsWithSongs).digest
        try store.insert(artists, songs)
        return (time, [left])
    }

    private func filled() throws -> any CatalogueSubject {
        if let reading { return reading }
        let store = try open("reading")
        try fill(store, catalogue)
        reading = store
        return store
    }

    private func open(_ part: String) throws -> any CatalogueSubject {
        let folder = "\(folder)/\(part)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try name.open(in: folder)
    }

    private func fill(_ store: any CatalogueSubject, _ catalogue: Catalogue) throws {
        try store.insert((1...catalogue.artistCount).map { catalogue.artist($0) }, [])
        for start in stride(from: 1, through: catalogue.songCount, by: 50_000) {
            try store.insert([], (start...min(start + 49_999, catalogue.songCount)).map { catalogue.song($0) })
        }
    }

    // Never inlined, for profilers.
    @inline(never) private func timed(_ body: () throws -> Void) rethrows -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        return start.duration(to: clock.now)
    }
}
