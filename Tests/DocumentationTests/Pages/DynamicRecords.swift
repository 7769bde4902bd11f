import Granary

func writeByNames(_ tx: Transaction) throws -> String {
    // The defaults of the schema, and nil elsewhere.
    var artist = try DynamicRecord("Artist", in: tx.schema)
    try artist.set("name", to: "Nina Simone")
    artist = try tx.insert(artist)
    try artist.set("rating", to: 4.2)
    try tx.update(artist)

    var song = try DynamicRecord("Song", in: tx.schema)
    try song.set("title", to: "Sinnerman")
    try song.set("artist", toStored: artist.key)
    try tx.upsert(song)
    let prince = try tx.findOrCreate("Artist", where: .compare("name", .equal, .string("Prince")))
    try Request("Song").updateAll(setting: ["artist": prince.key, "plays": .integer(2)], in: tx)
    try tx.delete(artist)
    return "\(prince)"
}

func readByNames(_ context: ReadContext, _ text: String) throws -> [String] {
    // What is asked may come from a person, a file, a request.
    let query = Request("Song").where(try AnyCondition(parsing: text)).sorted(by: "artist.name,-plays")
    var lines: [String] = []
    for song in try context.fetch(query.limit(20)) {
        let title = try song.value("title", as: String.self)
        lines.append("\(title): \(try song.value("plays", as: Int.self))")
    }

    // Chosen values, and groups.
    let chosen = query.select(named: [("title", .attribute("title")), ("by", .attribute("artist.name"))])
    for row in try chosen.fetch(in: context) {
        lines.append("\(row["title"] ?? .null) by \(row["by"] ?? .null)")
    }
    let groups = Request("Song").grouped(by: [.attribute("artist.name")])
        .select([.attribute("artist.name"), try AnyExpression(parsing: "@sum.plays")])
    for group in try groups.fetch(in: context) { lines.append("\(group[0]): \(group[1])") }

    // Relationships.
    for loaded in try Request("Artist").with("songs").fetch(in: context) {
        let count = try loaded.record.related("songs").all(in: context.schema).count(in: context)
        lines.append("\(loaded["songs"].count) of \(count)")
    }
    return lines
}

/// A schema that is known only when the program runs.
func tableOf(_ columns: [String]) -> Schema {
    let key = Attribute("id", .int64)
    let others = columns.map { Attribute($0, .string, isOptional: true) }
    return Schema(entities: [
        Entity("Row", key: "id", keyGeneration: .assigned, attributes: [key] + others)
    ])
}
