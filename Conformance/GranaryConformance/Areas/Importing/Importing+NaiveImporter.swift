import ConformanceKit
import GranaryImport

/// Records as dictionaries, and an importer of the simplest kind.
struct NaiveImporter {
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
            // A member that is left out may be in the list already: no member is removed.
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
