import ConformanceKit
import GranaryCore
import GranaryImport

// Random documents, imported by the importer and by one that knows nothing but the rules: it takes one object after the other.

private let teams = Schema(Team.self, Player.self, Club.self)

/// Makes documents for what a naive importer has.
private struct DocumentMaker {
    var random: SeededGenerator
    var round = 0

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    mutating func key() -> Int64 { Int64(1 + below(8)) }

    mutating func object(_ naive: NaiveImporter, depth: Int = 0) -> ImportValue {
        switch below(5) {
        case 0, 1: team(naive, depth: depth)
        case 2, 3: player(naive, depth: depth)
        default: club()
        }
    }

    private mutating func club() -> ImportValue {
        let id = Int64(1 + below(4))
        var members: [ImportObject.Member] = [
            .init("@", "Club"), .init("id", .integer(id)), .init("name", "\(below(10)) club"),
        ]
        switch below(4) {
        case 0: members.append(.init("skip", true))
        case 1: members.append(.init("old", true))
        default: break
        }
        return .object(ImportObject(members))
    }

    private mutating func team(_ naive: NaiveImporter, depth: Int) -> ImportValue {
        let id = key()
        var members: [ImportObject.Member] = [.init("@", "Team"), .init("id", .integer(id))]
        if naive.teams[id] == nil { members.append(.init("name", .string("team \(id).\(below(1_000_000))"))) }
        switch below(3) {
        case 0: members.append(.init("rank", .integer(Int64(below(5)))))
        case 1: members.append(.init("rank", nil))
        default: break
        }
        if naive.teams[id] != nil, below(4) == 0 { members.append(.init("skip", true)) }
        if depth < 2, below(2) == 0 {
            var list: [ImportValue] = []
            let existing = naive.players.keys.sorted()
            for _ in 0..<below(4) {
                if !existing.isEmpty, below(2) == 0 {
                    list.append(.integer(existing[below(existing.count)]))
                } else {
                    list.append(player(naive, depth: depth + 1))
                }
            }
            members.append(.init("players", .array(list)))
        }
        return .object(ImportObject(members))
    }

    private mutating func player(_ naive: NaiveImporter, depth: Int) -> ImportValue {
        let id = key()
        var members: [ImportObject.Member] = [
            .init("@", "Player"), .init("id", .integer(id)), .init("name", "player \(below(100))"),
        ]
        switch below(3) {
        case 0: members.append(.init("note", "note \(below(100))"))
        case 1: members.append(.init("note", nil))
        default: break
        }
        switch below(3) {
        case 0: members.append(.init("friend", .integer(Int64(1 + below(10)))))
        case 1: members.append(.init("friend", nil))
        default: break
        }
        if below(2) == 0 {
            var list: [ImportValue] = []
            let existing = naive.clubs.keys.sorted()
            // Perhaps those that it has, in another order.
            if below(3) == 0 { list = (naive.links[id] ?? []).shuffled(using: &random).map { .integer($0) } }
            for _ in 0..<(list.isEmpty ? below(4) : below(2)) {
                list.append(
                    !existing.isEmpty && below(2) == 0 ? .integer(existing[below(existing.count)]) : club())
            }
            members.append(.init("clubs", .array(list)))
        }
        // What is nested in a list says nothing of its team: the list does.
        if depth == 0 {
            let existing = naive.teams.keys.sorted()
            switch below(4) {
            case 0 where !existing.isEmpty: members.append(.init("team", .integer(existing[below(existing.count)])))
            case 1: members.append(.init("team", team(naive, depth: 2)))
            case 2: members.append(.init("team", nil))
            default: break
            }
        }
        return .object(ImportObject(members))
    }

    /// Every team gets the name of another one.
    mutating func exchange(_ naive: NaiveImporter) -> [ImportValue] {
        let keys = naive.teams.keys.sorted()
        let names = keys.compactMap { key -> ImportValue? in
            if case .text(let name)? = naive.teams[key]?["name"] { .string(name) } else { nil }
        }.shuffled(using: &random)
        return zip(keys, names).map { ["@": "Team", "id": .integer($0), "name": $1] }
    }
}

private func lines(_ context: ReadContext) throws -> [String] {
    try ["Team", "Player", "Club"].flatMap { entity in
        try context.fetch(Request(entity)).map { record in
            "\(entity) "
                + record.entity.attributes.indices.map { position in
                    let value: String =
                        switch record.values[position] {
                        case .integer(let number): "\(NaiveImporter.Value.number(number))"
                        case .text(let bytes):
                            "\(NaiveImporter.Value.text(String(decoding: bytes, as: UTF8.self)))"
                        default: "nil"
                        }
                    return "\(record.entity.attributes[position].name): \(value)"
                }.joined(separator: " ")
        }
    }
        + context.fetch(Request("Player")).map { player in
            let clubs = try player.related("clubs").all(in: context.schema).fetch(in: context).map {
                try $0.value("id", as: Int64.self)
            }
            return "\(try player.value("id", as: Int64.self)) in \(clubs)"
        }
}

private func importer(_ naive: NaiveImporter, _ size: Int, mirrors: Bool) -> Importer {
    var importer = Importer(mirrors ? .mirror() : .upsert)
    importer.batchSize = size
    importer.choose = { value, _ in if case .string(let name)? = value["@"] { name } else { nil } }
    importer.mappings = [
        "Team": ImportMapping().relate("players", naive.policy),
        "Player": ImportMapping().relate("clubs", naive.linking),
    ]
    return importer
}

private enum Target: CaseIterable {
    case transaction, context, child, stack
}

/// Imports documents one after the other, and compares what is there after each.
private func compare(_ trial: Trial, seed: UInt64, rounds: Int, _ target: Target) async throws {
    var maker = DocumentMaker(random: SeededGenerator(seed: seed))
    let policy = [ImportRelating.replace, .add, .replaceAndDelete][maker.below(3)]
    var naive = NaiveImporter(policy, maker.below(2) == 0 ? .replace : .add)
    let stack = try trial.another(teams, at: trial.folder + "/\(target)-\(seed).granary")
    let context = try stack.makeContext()
    for round in 0..<rounds {
        let size = [1, 2, 3, 500][maker.below(4)]
        var source: [ImportValue] = []
        let before = naive
        // Names are exchanged within a batch alone.
        if size == 500, maker.below(2) == 0 { source = maker.exchange(naive) }
        for object in source { naive.take(object) }
        if source.isEmpty {
            for _ in 0..<(1 + maker.below(8)) {
                let object = maker.object(naive)
                naive.take(object)
                source.append(object)
            }
            // What is named comes, perhaps in a later batch.
            for friend in Set(naive.friends.values).sorted() where naive.players[friend] == nil {
                let object: ImportValue = ["@": "Player", "id": .integer(friend), "name": "late"]
                naive.take(object)
                source.append(object)
            }
        }
        let mirrors = maker.below(3) == 0
        naive.finish(mirrors: mirrors)
        let how = importer(naive, size, mirrors: mirrors)
        let found: [String]
        let imported = source
        switch target {
        case .transaction:
            try await stack.write { tx in _ = try tx.import(imported, as: "Team", with: how) }
            found = try await stack.read { try lines($0) }
        case .context:
            try context.import(source, as: "Team", with: how)
            found = try lines(context)
            if round % 3 == 2 { try await context.save() }
        case .child:
            let child = try context.makeChild()
            try child.import(source, as: "Team", with: how)
            try await child.save()
            found = try lines(context)
        case .stack:
            try await stack.import(imported, as: "Team", with: how)
            found = try await stack.read { try lines($0) }
        }
        try expectEqual(
            found, naive.lines,
            "seed \(seed), round \(round), \(policy), \(naive.linking), mirrors: \(mirrors), batches of \(size), \(source) after \(before.lines)"
        )
    }
}

var importRandomCases: [ConformanceCase] {
    Target.allCases.flatMap { target in
        [
            ConformanceCase(
                "import.random-\(target)", in: .importing,
                "random documents, imported by a \(target), give what a naive importer makes of them", modes: [.fresh]
            ) { trial in
                for seed in 1...4 as ClosedRange<UInt64> { try await compare(trial, seed: seed, rounds: 12, target) }
                for seed in 0..<2 as Range<UInt64> {
                    try await compare(trial, seed: trial.seed &* 1_000 &+ seed, rounds: 12, target)
                }
            },
            ConformanceCase(
                "import.random-\(target)-long", in: .importing, "the same, for longer", isHeavy: true, modes: [.fresh]
            ) { trial in
                for seed in 100..<160 as Range<UInt64> {
                    try await compare(trial, seed: trial.seed &* 1_000 &+ seed, rounds: 30, target)
                }
            },
        ]
    }
}
