import GranaryCore
import GranaryImport

// Random documents, imported by the importer and by one that knows nothing but the rules: it takes one object after the other.

private let teams = Schema(Team.self, Player.self, Club.self)

private struct Team: Importable {
    var id: Int64
    var name: String
    var rank: Int64?

    static let entityName = "Team"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("rank", Int64?.self)],
        indexes: [.unique("name")])
    static let players = ToMany(\Player.Fields.team, onDelete: .nullify)
    static var relationships: [DeclaredRelationship] { [players.declared(as: "players")] }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        rank = try row.decode(at: 2)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(rank, at: 2)
    }
    struct Fields: Sendable { let id = Field<Team, Int64>("id") }
    static let fields = Fields()

    /// Some objects are to be left out.
    static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? {
        if value["skip"] == true { return nil }
        return value
    }
}

private struct Player: Importable {
    var id: Int64
    var name: String
    var note: String?
    var team: Ref<Team>?
    var friend: Ref<Player>?

    static let entityName = "Player"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("note", String?.self),
            Attribute("team", Ref<Team>?.self), Attribute("friend", Ref<Player>?.self, onDelete: .nullify),
        ])
    static let clubs = ManyToMany(Club.self, ordered: true)
    static var relationships: [DeclaredRelationship] { [clubs.declared(as: "clubs")] }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        note = try row.decode(at: 2)
        team = try row.decode(at: 3)
        friend = try row.decode(at: 4)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(note, at: 2)
        try row.encode(team, at: 3)
        try row.encode(friend, at: 4)
    }
    struct Fields: Sendable {
        let id = Field<Player, Int64>("id")
        let team = Field<Player, Ref<Team>?>("team")
        let clubs = Related<Player, Club>("clubs")
    }
    static let fields = Fields()
}

private struct Club: Importable {
    var id: Int64
    var name: String
    var initial: String

    static let entityName = "Club"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self),
            Attribute("initial", String.self, default: ""),
        ])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        initial = try row.decode(at: 2)
    }
    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(initial, at: 2)
    }
    struct Fields: Sendable { let id = Field<Club, Int64>("id") }
    static let fields = Fields()

    /// Some objects are to be left out, others are changed.
    static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? {
        guard value["skip"] != true else { return nil }
        guard case .object(let object) = value, value["old"] == true else { return value }
        let members = object.members.filter { $0.key != "name" && $0.key != "old" }
        return .object(ImportObject(members + [.init("name", "old club")]))
    }

    mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws { initial = String(name.prefix(1)) }
}

/// Records as dictionaries, and an importer of the simplest kind.
private struct NaiveImporter {
    enum Value: Equatable {
        case number(Int64), text(String)
    }

    var teams: [Int64: [String: Value]] = [:]
    var players: [Int64: [String: Value]] = [:]
    var clubs: [Int64: [String: Value]] = [:]
    /// The clubs of each player, in order.
    var links: [Int64: [Int64]] = [:]
    let policy: ImportRelating
    let linking: ImportRelating
    /// The teams that the source has.
    private var touched: Set<Int64> = []
    // What waits for the end.
    var friends: [Int64: Int64] = [:]
    private var unlisted: [Int64: Int64] = [:]

    init(_ policy: ImportRelating, _ linking: ImportRelating) { (self.policy, self.linking) = (policy, linking) }

    mutating func take(_ object: ImportValue) {
        switch object["@"] {
        case "Team"?: _ = takeTeam(object)
        case "Club"?: _ = takeClub(object)
        default: _ = takePlayer(object)
        }
    }

    /// Nil of one that its hook leaves out.
    private mutating func takeClub(_ object: ImportValue) -> Int64? {
        if case .integer(let id) = object { return id }
        guard object["skip"] != true, case .integer(let id)? = object["id"], case .string(let given)? = object["name"]
        else { return nil }
        let name = object["old"] == true ? "old club" : given
        clubs[id] = ["id": .number(id), "name": .text(name), "initial": .text(String(name.prefix(1)))]
        return id
    }

    /// Nil of one that its hook leaves out.
    private mutating func takeTeam(_ object: ImportValue) -> Int64? {
        guard case .integer(let id)? = object["id"] else { return nil }
        touched.insert(id)
        if object["skip"] == true { return nil }
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
        if case .array(let members)? = object["clubs"] {
            let listed = members.map { takeClub($0) }
            // What is left out may be in the list already: nothing goes.
            let adds = linking == .add || listed.contains(nil)
            var all = adds ? links[id] ?? [] : []
            for case let club? in listed where !all.contains(club) { all.append(club) }
            links[id] = all
        }
        guard let team = object["team"] else { return id }
        switch team {
        case .null: players[id]?["team"] = nil
        case .integer(let key): players[id]?["team"] = .number(key)
        default:
            guard let key = takeTeam(team) else { return id }
            players[id]?["team"] = .number(key)
        }
        unlisted[id] = nil
        return id
    }

    mutating func finish(mirrors: Bool) {
        for (player, friend) in friends where players[friend] != nil { players[player]?["friend"] = .number(friend) }
        for (player, team) in unlisted where players[player]?["team"] == .number(team) {
            players[player] = nil
            links[player] = nil
            for other in players.keys where players[other]?["friend"] == .number(player) {
                players[other]?["friend"] = nil
            }
        }
        for team in teams.keys where mirrors && !touched.contains(team) {
            teams[team] = nil
            for (player, values) in players where values["team"] == .number(team) { players[player]?["team"] = nil }
        }
        friends = [:]
        unlisted = [:]
        touched = []
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
            + lines("Club", ["id", "name", "initial"], clubs)
            + players.keys.sorted().map { "\($0) in \(links[$0] ?? [])" }
    }
}

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

private func lines(_ context: some ReadContext) throws -> [String] {
    try ["Team", "Player", "Club"].flatMap { entity in
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
        + context.fetch(DynamicQuery("Player")).map { player in
            let clubs = try player.related("clubs").fetch(in: context).map { try $0.value("id", as: Int64.self) }
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
