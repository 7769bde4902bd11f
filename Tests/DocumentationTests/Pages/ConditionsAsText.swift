import Granary

func askByText(_ snapshot: Snapshot, _ name: String) throws -> [Int] {
    let liked = try Artist.where("rating >= 4.5 AND name BEGINSWITH[c] %@", name)
    let named = try Song.all.where("artist.name == $name AND plays BETWEEN {5, 10}", named: ["name": name])
    let any = try Artist.where("ANY songs.plays > 8 OR songs.@count == 0")
    return [try snapshot.count(liked), try snapshot.count(named), try snapshot.count(any)]
}

func askByName(_ context: Context) throws -> [String] {
    let rated = try AnyCondition(parsing: "rating != nil")
    let query = Request("Artist").where(rated).sorted(by: [Ordering(attribute: "name")])
    return try context.fetch(query).map { try $0.value("name", as: String.self) }
}
