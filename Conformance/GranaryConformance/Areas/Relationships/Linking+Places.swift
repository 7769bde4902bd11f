import ConformanceKit
import GranaryCore

// A list is a mix with its tracks: the links hold the order, in numbers with gaps. So a record that is put into a list, or
// moved in it, changes its own link and no other, unless its gap is used up.

var listPlacesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.places-kept", in: .linking,
            "a record that is inserted into a list of 10 000, or moved in it, changes one link", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.mixes)
            var model = try openList(trial, 10_000)
            try trial.insert((1...20).map { Track(id: 20_000 + $0) })
            for (number, place) in [0, 5_000, 1, 9_990, 0, 4_999, 5_000].enumerated() {
                let track = Int64(20_001 + number)
                let links = try linksChanged(trial) {
                    try trial.write { try mix.tracks.insert(key: track, at: place, in: $0) }
                }
                try expectEqual(links, 1, "inserted at \(place)")
                model.insert(track, at: place)
            }
            for (from, to) in [
                (0, 9_000), (9_999, 0), (5_000, 5_010), (5_010, 5_000), (3, 10_006), (7, 7), (10_006, 1),
            ] {
                let links = try linksChanged(trial) {
                    try trial.write { try mix.tracks.move(from: from, to: to, in: $0) }
                }
                try expectEqual(links, from == to ? 0 : 1, "moved from \(from) to \(to)")
                model.move(from, to)
            }
            try expectEqual(try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, model)
            let context = try trial.stack.makeContext()
            try mix.tracks.insert(key: 20_011, at: 0, in: context)
            try mix.tracks.insert(key: 20_012, at: 5_000, in: context)
            try mix.tracks.move(from: 8_000, to: 2, in: context)
            model.insert(20_011, at: 0)
            model.insert(20_012, at: 5_000)
            model.move(8_000, 2)
            try expectEqual(try mix.tracks.all.fetch(in: context).map(\.id), model)
            try expectEqual(try linksChanged(trial) { try context.blocking.save() }, 3, "saved")
            try expectEqual(try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, model)
            // A list that is replaced keeps the links that stay in order.
            model.remove(at: 6_000)
            model.move(10, 9_000)
            model.insert(20_013, at: 77)
            let wanted = model
            try expectEqual(
                try linksChanged(trial) { try trial.write { try mix.tracks.replace(withKeys: wanted, in: $0) } }, 3,
                "replaced")
            try expectEqual(try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, model)
        },
        ConformanceCase(
            "linking.places-used-up", in: .linking,
            "records that are put at one place again and again change a few other links now and then", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.mixes)
            for place in [0, 1, 50] {
                var model = try openList(trial, 100)
                let new = (1...400).map { Int64(1_000 + $0) }
                try trial.insert(new.map { Track(id: $0) })
                var links = 0
                for track in new {
                    links += try linksChanged(trial) {
                        try trial.write { try mix.tracks.insert(key: track, at: place, in: $0) }
                    }
                    model.insert(track, at: place)
                }
                try expectEqual(try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, model, "at \(place)")
                try expect(links <= new.count * 8, "\(links) links were written for \(new.count) records at \(place)")
            }
        },
        ConformanceCase(
            "linking.places-dense", in: .linking,
            "a list whose numbers have no gaps, or are equal, or at the end of all numbers, keeps its order"
        ) { trial in
            try trial.open(SuiteSchema.mixes)
            let numberings: [(Int) -> Int64] = [
                { Int64($0) }, { Int64($0 / 3) }, { _ in 7 }, { .max - 39 + Int64($0) }, { .min + Int64($0) },
                { $0 < 20 ? .min + Int64($0) : .max - 39 + Int64($0) },
            ]
            for (number, numbering) in numberings.enumerated() {
                var model = try openList(trial, 40, numbering)
                try trial.insert((1...12).map { Track(id: 100 + $0) })
                try expectEqual(try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, model, "\(number)")
                var generator = SeededGenerator(seed: UInt64(number))
                for track in Int64(101)...112 {
                    let place = Int.random(in: 0...model.count, using: &generator)
                    let (from, to) = (
                        Int.random(in: 0..<model.count, using: &generator),
                        Int.random(in: 0..<model.count, using: &generator)
                    )
                    try trial.write { tx in
                        try mix.tracks.insert(key: track, at: place, in: tx)
                        try mix.tracks.move(from: from, to: to, in: tx)
                    }
                    model.insert(track, at: place)
                    model.move(from, to)
                    try expectEqual(
                        try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, model,
                        "\(number), \(track) at \(place)")
                }
            }
        },
        ConformanceCase(
            "linking.places-random", in: .linking,
            "random changes of a list give the order that the same changes of an array give",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.mixes)
            for seed in 1...6 as ClosedRange<UInt64> {
                var generator = SeededGenerator(seed: seed)
                var model = try openList(trial, 20)
                try trial.insert((21...60).map { Track(id: $0) })
                let context = try trial.stack.makeContext()
                for step in 1...40 {
                    let child = try context.makeChild()
                    let program = ListProgram(&model, 1...4, &generator)
                    switch step % 3 {
                    case 0: try trial.write { try program.run(in: $0) }
                    case 1:
                        try program.run(in: context)
                        try expectEqual(try mix.tracks.all.fetch(in: context).map(\.id), model, "\(seed), \(step)")
                        try context.blocking.save()
                    default:
                        try program.run(in: child)
                        try expectEqual(try mix.tracks.all.fetch(in: child).map(\.id), model, "\(seed), \(step)")
                        try child.saveToParent()
                        try expectEqual(try mix.tracks.all.fetch(in: context).map(\.id), model, "\(seed), \(step)")
                        try context.blocking.save()
                    }
                    try expectEqual(
                        try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, model, "\(seed), \(step)")
                }
            }
        },
        ConformanceCase(
            "linking.places-merged", in: .linking,
            "two contexts that change a list at random come to one order, in which what neither has moved keeps its order",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.mixes)
            for seed in 1...40 as ClosedRange<UInt64> {
                var generator = SeededGenerator(seed: seed)
                let start = try openList(trial, 12)
                try trial.insert((13...60).map { Track(id: $0) })
                let (one, other) = (try trial.stack.makeContext(), try trial.stack.makeContext())
                var (here, there) = (start, start)
                let programs = (
                    ListProgram(&here, 1...4, &generator, new: 13...30),
                    ListProgram(&there, 1...4, &generator, new: 31...60)
                )
                try programs.0.run(in: one)
                try programs.1.run(in: other)
                try other.blocking.save()
                try expectEqual(try one.blocking.save().conflicts.count, 0, "\(seed)")
                let result = try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }
                let all = Set(start).intersection(here).intersection(there)
                let wanted = all.union(Set(here).subtracting(start)).union(Set(there).subtracting(start))
                try expectEqual(result.sorted(), wanted.sorted(), "\(seed)")
                try expectEqual(Set(try trial.read { try places(in: $0) }.values).count, result.count, "\(seed)")
                let moved = programs.0.touched.union(programs.1.touched)
                try expectEqual(
                    result.filter { all.contains($0) && !moved.contains($0) },
                    start.filter { all.contains($0) && !moved.contains($0) }, "\(seed)")
            }
        },
    ]
}

private let mix = Mix(id: 1)

/// A mix with `count` tracks, whose keys ascend.
///
/// - Parameter numbering: The places of the links; nil for those that the library gives.
private func openList(_ trial: Trial, _ count: Int, _ numbering: ((Int) -> Int64)? = nil) throws -> [Int64] {
    let keys = (1...Int64(count)).map { $0 }
    try trial.write { tx in
        try Mix.deleteAll(in: tx)
        try Track.deleteAll(in: tx)
        try tx.insert(mix)
        try tx.insert(keys.map { Track(id: $0) })
        guard let numbering else { return try mix.tracks.add(keys: keys, in: tx) }
        for (number, key) in keys.enumerated() {
            try tx.insert(
                made(
                    "Mix_tracks", in: tx.schema,
                    [
                        "id": .integer(0), "source": .integer(1), "target": .integer(key),
                        "position": .integer(numbering(number)),
                    ]))
        }
    }
    return keys
}

/// The place of each track.
private func places(in context: ReadContext) throws -> [StoredValue: StoredValue] {
    let links = try context.fetch(Request("Mix_tracks"))
    return Dictionary(
        uniqueKeysWithValues: links.compactMap { link in
            link["target"].flatMap { target in link["position"].map { (target, $0) } }
        })
}

/// How many links a closure has changed, made or ended.
private func linksChanged(_ trial: Trial, _ body: () throws -> Void) throws -> Int {
    let before = try trial.read { try places(in: $0) }
    try body()
    let after = try trial.read { try places(in: $0) }
    return Set(before.keys).union(after.keys).count { before[$0] != after[$0] }
}

extension [Int64] {
    fileprivate mutating func move(_ place: Int, _ other: Int) {
        let key = remove(at: place)
        insert(key, at: Swift.min(other, count))
    }
}

/// Changes of a list, made at random and made in an array.
private struct ListProgram {
    private enum Step {
        case add(Int64)
        case insert(Int64, Int)
        case move(Int, Int)
        case remove(Int64)
        case replace([Int64])
    }

    private var steps: [Step] = []
    /// The records that were moved, added or removed.
    private(set) var touched: Set<Int64> = []

    init(
        _ list: inout [Int64], _ count: ClosedRange<Int>, _ generator: inout SeededGenerator,
        new: ClosedRange<Int64> = 1...60
    ) {
        for _ in 0..<Int.random(in: count, using: &generator) {
            let place = Int.random(in: 0...list.count, using: &generator)
            let key = Int64.random(in: new, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                steps.append(.add(key))
                if !list.contains(key) { list.append(key) }
                touched.insert(key)
            case 1...3:
                steps.append(.insert(key, place))
                list.removeAll { $0 == key }
                list.insert(key, at: Swift.min(place, list.count))
                touched.insert(key)
            case 4...7 where place < list.count:
                let other = Int.random(in: 0...list.count, using: &generator)
                steps.append(.move(place, other))
                touched.insert(list[place])
                list.move(place, other)
            case 8 where place < list.count:
                steps.append(.remove(list[place]))
                touched.insert(list.remove(at: place))
            case 9 where new.lowerBound == 1 && place < list.count:
                let key = list.remove(at: place)
                list.insert(key, at: list.count / 2)
                steps.append(.replace(list))
            default: continue
            }
        }
    }

    func run(in context: Context) throws {
        for step in steps {
            switch step {
            case .add(let key): try mix.tracks.add(keys: [key], in: context)
            case .insert(let key, let place): try mix.tracks.insert(key: key, at: place, in: context)
            case .move(let place, let other): try mix.tracks.move(from: place, to: other, in: context)
            case .remove(let key): try mix.tracks.remove(keys: [key], in: context)
            case .replace(let keys): try mix.tracks.replace(withKeys: keys, in: context)
            }
        }
    }
}
