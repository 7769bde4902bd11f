/// What each workload must give, worked out from the generator alone.
struct Expectation {
    let all: TrackDigest
    private let found: TrackDigest
    private let selection: [TrackDigest]
    private let sum: StreamSum

    init(rows: Int, keys: [Int64]) {
        let generator = TrackGenerator()
        var all = TrackDigest()
        var sum = StreamSum()
        var selected: [Track] = []
        for number in 1...Int64(rows) {
            let track = generator.track(number)
            all.add(track)
            sum.add(plays: track.plays, length: track.length)
            if TrackSelection.contains(track) { selected.append(track) }
        }
        var found = TrackDigest()
        for key in keys { found.add(generator.track(key)) }
        selected.sort(by: TrackSelection.isBefore)
        self.all = all
        self.found = found
        self.sum = sum
        selection = [TrackDigest(Array(selected.prefix(TrackSelection.limit))), TrackDigest(selected)]
    }

    func outcome(of workload: Workload) -> Outcome {
        switch workload {
        case .insert, .fetch: .rows([all])
        case .find, .findEach: .rows([found])
        case .filterSort: .rows(selection)
        case .stream: .sum(sum)
        }
    }
}
