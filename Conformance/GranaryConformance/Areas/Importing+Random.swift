import GranaryCore
import GranaryImport

// Random documents, imported by the importer and by one that knows nothing but the rules: it takes one object after the other.

private let teams = Schema(entities: [
    Entity(
        "Team", key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("rank", Int64?.self)],
        indexes: [.unique("name")], relationships: [Relationship("players", entity: "Player", attribute: "team")]),
    Entity(
        "Player", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("note", String?.self),
            Attribute("team", .int64, isOptional: true, reference: .init(entity: "Team", onDelete: .nullify)),
            Attribute("friend", .int64, isOptional: true, reference: .init(entity: "Player", onDelete: .nullify)),
        ]),
])

/// Records as dictionaries, and an importer of the simplest kind.
private struct NaiveImporter {
    enum Value: Equatable {
        case number(Int64), text(String)
    }

    var teams: [Int64: [String: Value]] = [:]
    var players: [Int64: [String: Value]] = [:]
    let policy: ImportRelating
    // What waits for the end.
    var friends: [Int64: Int64] = [:]
    private var unlisted: [Int64: Int64] = [:]

    init(_ policy: ImportRelating) { self.policy = policy }

    mutating func take(_ object: ImportValue) {
        if object["@"] == "Team" { _ = takeTeam(object) } else { _ = takePlayer(object) }
    }

    private mutating func takeTeam(_ object: ImportValue) -> Int64 {
        guard case .integer(let id)? = object["id"] else { return 0 }
        teams[id, default: ["id": .number(id)]].merge(NaiveImporter.plain(object, ["name", "rank"])) { $1 }
        if object["rank"] == .null { teams[id]?["rank"] = nil }
        guard let list = object["players"] else { return id }
        var listed: [Int64] = []
        if case .array(let members) = list { for member in members { listed.append(takePlayer(member)) } }
        for player in listed {
            players[player]?["team"] = .number(id)
            unlisted[player] = nil
        }
        for (player, values) in players where values["team"] == .number(id) && !listed.contains(player) {
            switch policy {
            case .add: break
            case .replace: players[player]?["team"] = nil
            case .replaceAndDelete: unlisted[player] = id
            }
        }
        return id
    }

    private mutating func takePlayer(_ object: ImportValue) -> Int64 {
        if case .integer(let id) = object { return id }
        guard case .integer(let id)? = object["id"] else { return 0 }
        players[id, default: ["id": .number(id)]].merge(NaiveImporter.plain(object, ["name", "note"])) { $1 }
        if object["note"] == .null { players[id]?["note"] = nil }
        switch object["friend"] {
        case .null?:
            players[id]?["friend"] = nil
            friends[id] = nil
        case .integer(let friend)?:
            friends[id] = players[friend] == nil ? friend : nil
            if players[friend] != nil { players[id]?["friend"] = .number(friend) }
        default: break
        }
        guard let team = object["team"] else { return id }
        unlisted[id] = nil
        switch team {
        case .null: players[id]?["team"] = nil
        case .integer(let key): players[id]?["team"] = .number(key)
        default:
            let key = takeTeam(team)
            players[id]?["team"] = .number(key)
        }
        return id
    }

    mutating func finish() {
        for (player, friend) in friends where players[friend] != nil { players[player]?["friend"] = .number(friend) }
        for (player, team) in unlisted where players[player]?["team"] == .number(team) {
            players[player] = nil
            for other in players.keys where players[other]?["friend"] == .number(player) {
                players[other]?["friend"] = nil
            }
        }
        friends = [:]
        unlisted = [:]
    }

    private static func plain(_ object: ImportValue, _ names: [String]) -> [String: Value] {
        var values: [String: Value] = [:]
        for name in names {
            switch object[name] {
            case .integer(let number)?: values[name] = .number(number)
            case .string(let text)?: values[name] = .text(text)
            default: break
            }
        }
        return values
    }

    /// All records as text.
    var lines: [String] {
        func lines(_ entity: String, _ names: [String], _ records: [Int64: [String: Value]]) -> [String] {
            records.sorted { $0.key < $1.key }.map { _, values in
                "\(entity) "
                    + names.map { name in "\(name): \(values[name].map { "\($0)" } ?? "nil")" }.joined(separator: " ")
            }
        }
        return lines("Team", ["id", "name", "rank"], teams)
            + lines("Player", ["id", "name", "note", "team", "friend"], players)
    }
}

/// Makes documents for what a naive importer has.
private struct DocumentMaker {
    var random: SeededGenerator
    var round = 0

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    mutating func key() -> Int64 { Int64(1 + below(8)) }

    mutating func object(_ naive: NaiveImporter, depth: Int = 0) -> ImportValue {
        below(2) == 0 ? team(naive, depth: depth) : player(naive, depth: depth)
    }

    private mutating func team(_ naive: NaiveImporter, depth: Int) -> ImportValue {
        let id = key()
        var members: [ImportObject.Member] = [.init("@", "Team"), .init("id", .integer(id))]
        if naive.teams[id] == nil { members.append(.init("name", "team \(id)")) }
        switch below(3) {
        case 0: members.append(.init("rank", .integer(Int64(below(5)))))
        case 1: members.append(.init("rank", nil))
        default: break
        }
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

private func lines(_ context: some ReadContext) throws -> [String] {
    try ["Team", "Player"].flatMap { entity in
        try context.fetch(DynamicQuery(entity)).map { record in
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
}

private func importer(_ policy: ImportRelating, _ size: Int) -> Importer {
    var importer = Importer()
    importer.batchSize = size
    importer.choose = { value, _ in if case .string(let name)? = value["@"] { name } else { nil } }
    importer.mappings = ["Team": ImportMapping().relate("players", policy)]
    return importer
}

private enum Target: CaseIterable {
    case transaction, context, child, stack
}

/// Imports documents one after the other, and compares what is there after each.
private func compare(_ trial: Trial, seed: UInt64, rounds: Int, _ target: Target) async throws {
    var maker = DocumentMaker(random: SeededGenerator(seed: seed))
    let policy = [ImportRelating.replace, .add, .replaceAndDelete][maker.below(3)]
    var naive = NaiveImporter(policy)
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
        naive.finish()
        let how = importer(policy, size)
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
            "seed \(seed), round \(round), \(policy), batches of \(size), \(source) after \(before.lines)")
    }
}

let importRandomCases: [ConformanceCase] = Target.allCases.flatMap { target in
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
