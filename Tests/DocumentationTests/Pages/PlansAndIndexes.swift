import Granary
import GranaryConformance

@Record(indexes: [["genre", "year"]]) struct Disc {
    @Key(.assigned) var id: Int64 = 0
    @Index var title: String
    @Index(.caseInsensitive) var label: String
    var genre: String
    var year: Int?
    var plays = 0
    var band: Ref<Band>?
}

@Record struct Band {
    @Key(.assigned) var id: Int64 = 0
    @Index var name: String
    var isActive = true
    static let discs = ToMany(\Disc.Fields.band)
}

func plans(_ snapshot: Snapshot) throws -> [QueryPlan] {
    let rock = Disc.where { $0.genre == "Rock" }
    return [
        try rock.where { $0.year >= 1980 }.sorted(by: \.year).explain(in: snapshot),
        try rock.where { $0.plays > 3 }.sorted(by: \.year, .descending).limit(10).explain(in: snapshot),
        try Disc.where { $0.plays > 3 }.sorted(by: \.plays, .descending).limit(3).explain(in: snapshot),
        try Disc.where { $0.band.name == "Prince" }.explain(in: snapshot),
        try Disc.sorted(by: \.title).limit(5).explain(in: snapshot),
        try Disc.where { _ in .never }.explain(in: snapshot),
    ]
}

/// For the tests of a program: what must be fast is searched for.
func checkPlans(_ snapshot: Snapshot) throws -> [String] {
    try expectNoFullScan(Disc.where { $0.title.hasPrefix("Purple") }, in: snapshot)
    try expectNoFullScan(Disc.where { $0.label.equals("warner", .caseInsensitive) }, in: snapshot)
    try expectNoFullScan(Disc.where { $0.title == "1999" || $0.genre == "Funk" }, in: snapshot)
    return try Disc.where { $0.plays > 3 }.explain(in: snapshot).fullScans  // ["Disc"]
}
