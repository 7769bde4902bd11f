import GranaryCore

extension GranarySubject: SharedStore {
    func makeFinder() -> any TrackFinder { GranaryFinder(stack) }
    func commit(_ tracks: [Track]) throws { try insert(tracks) }
    func count() throws -> Int { try stack.blocking.read { try $0.count(Track.all) } }
}

struct GranaryFinder: TrackFinder {
    private let stack: Stack

    init(_ stack: Stack) { self.stack = stack }

    func find(_ key: Int64) throws -> Track {
        guard let track = try stack.blocking.read({ try $0.find(Track.self, key) }) else {
            throw BenchmarkError("There is no track \(key).")
        }
        return track
    }

    func find(_ keys: ArraySlice<Int64>) throws -> [Track] {
        try stack.blocking.read { try $0.find(Track.self, keys) }
    }

    func close() {}
}
