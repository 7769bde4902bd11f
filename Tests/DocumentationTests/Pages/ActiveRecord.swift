import Foundation
import Granary

/// Once, when the program starts.
func openAsDefault(_ url: URL) async throws {
    Stack.default = try await openMusic(url)
}

/// On the main actor, in the main context of the default stack.
@MainActor func addKiss() throws -> [String] {
    let prince = try Artist.findOrCreate(where: { $0.name == "Prince" }, in: .main)
    var song = try Song(title: "Kiss", artist: Ref(prince)).insert(in: .main)
    song.plays = 9
    try song.update(in: .main)
    let loud = try Song.where { $0.plays > 5 }.sorted(by: "artist.name,-plays").fetch(in: .main)
    try EditContext.main.blocking.save()
    return loud.map(\.title)
}

/// In any other context: the same verbs.
func addKiss(in tx: Transaction) throws -> [String] {
    let prince = try Artist.findOrCreate(where: { $0.name == "Prince" }, in: tx)
    var song = try Song(title: "Kiss", artist: Ref(prince)).insert(in: tx)
    song.plays = 9
    try song.update(in: tx)
    return try Song.where { $0.plays > 5 }.sorted(by: "artist.name,-plays").fetch(in: tx).map(\.title)
}

/// In a test: a default stack for this closure and the tasks it makes.
@MainActor func addKiss(to stack: Stack) throws -> [String] {
    try Stack.withDefault(stack) { () throws in try addKiss() }
}

/// By key, by what they equal, or by any query.
func artists(in tx: Transaction) throws -> [String] {
    let byKey = try Artist.findOrCreate(100, in: tx) { Artist(id: 100, name: "Nina Simone", rating: 4.2) }
    let byName = try Artist.findOrCreate(where: { $0.name == "Björk" && $0.rating == 4.5 }, in: tx)
    let byQuery = try Artist.where { $0.name.equals("PRINCE", .caseInsensitive) }
        .findOrCreate(in: tx) { Artist(name: "Prince") }
    return [byKey, byName, byQuery].map(\.name)
}

/// What is looked up by name, from wherever it comes.
@Record struct Publisher {
    @Key(.assigned) var id: Int64 = 0
    @Unique var name: String
    var country: String?
}

/// The publisher by that name gets the country, or is made. Others that are there stay as they are.
func move(_ name: String, to country: String, besides others: [String], in tx: Transaction) throws -> Publisher {
    let publisher = try tx.upsert(Publisher(name: name, country: country), by: \.name)
    try tx.insert(others.map { Publisher(name: $0) }, onConflict: .ignore)
    return publisher
}

@Record struct Draft {
    @Key(.assigned) var id: Int64 = 0
    var text: String
    @Index var expires: Date

    static var staleCondition: Condition<Draft>? { fields.expires < Date() }
}

func purge(_ stack: Stack) async throws -> Int {
    let counts = try await stack.purgeStale()
    return counts["Draft"] ?? 0
}

/// At once, and then every hour.
func purgeHourly(_ stack: Stack) -> PurgeSchedule { stack.purgeStale(every: .seconds(3_600)) }

/// Whenever a signal comes: the program goes to the background, a timer fires.
func purge(_ stack: Stack, on signals: AsyncStream<Void>) -> PurgeSchedule { stack.purgeStale(on: signals) }
