package import ConformanceKit
import Foundation
import GranaryCore

extension ConformanceSuite {
    /// The cases about stacks of several parts; in the order in which they are run. A test finds a list that is forgotten
    /// here.
    package static var inParts: [ConformanceCase] {
        [
            partWritingCases, partAskingCases, partRuleCases, partCommitCases, partReadOnlyCases, partOpeningCases,
        ].flatMap(\.self)
    }
}

/// Two stores of the kind that is tried, as one: what is collected is in the first, what there is to collect in the
/// second, the catalogue.
struct PartedShop {
    let trial: Trial
    let catalogue: String

    static let schema = SuiteSchema.shop.union(SuiteSchema.articles).union(
        Schema(Counter.self, Shelf.self, Box.self, Person.self))
    static let catalogueTypes: [any Record.Type] = [
        Genre.self, Artist.self, Album.self, Song.self, Writer.self, Counter.self, Shelf.self,
    ]

    init(_ trial: Trial) throws {
        if trial.subject.isParted || trial.subject.writesThroughContexts {
            throw NotTested(reason: "parts are made of single stores; all other cases run on stacks of parts, too")
        }
        self.trial = trial
        catalogue = trial.storePath + ".music"
    }

    func provider(
        _ access: StoreAccess = .readWrite, _ wrap: @escaping @Sendable (any Store) -> any Store = { $0 }
    ) -> PartsProvider {
        let second = trial.subject.provider(catalogue, access)
        return PartsProvider(
            trial.subject.provider(trial.storePath, .readWrite),
            [Part("music", names, in: WrappedProvider(base: second, wrap: wrap))])
    }

    private var names: [String] { PartedShop.catalogueTypes.map { $0.entityName } }

    func open(
        _ access: StoreAccess = .readWrite, history: HistoryPolicy = .none, migration: MigrationPolicy = .automatic
    ) throws -> Stack {
        return try Stack(PartedShop.schema, store: provider(access), migration: migration, history: history)
    }

    /// The catalogue beside an empty first part: how it is made, and brought up to date.
    func openCatalogue() throws -> Stack {
        try Stack(
            PartedShop.schema,
            store: .parts(
                ConformanceSubject.inMemory.provider(catalogue + ".first", .readWrite),
                Part("music", names, in: trial.subject.provider(catalogue, .readWrite))))
    }

    /// Opens a stack with a few records in both parts, closes it after the body.
    func run(
        _ access: StoreAccess = .readWrite, history: HistoryPolicy = .none, _ body: (Stack) async throws -> Void
    ) async throws {
        let stack = try open(access, history: history)
        do {
            try await body(stack)
        } catch {
            try? stack.blocking.close()
            throw error
        }
        try stack.blocking.close()
    }

    static func fill(_ tx: Transaction) throws {
        try tx.insert([Genre(id: 1, label: "Rock"), Genre(id: 2, label: "Soul")])
        try tx.insert([Artist(id: 1, label: "Jimi", genre: Ref(1)), Artist(id: 2, label: "Nina", genre: Ref(2))])
        try tx.insert([Album(id: 1, title: "Electric", artist: Ref(1)), Album(id: 2, title: "Pastel", artist: Ref(2))])
        try tx.insert([
            Song(id: 1, title: "Fire", album: Ref(1), seconds: 200),
            Song(id: 2, title: "Sky", album: Ref(1), seconds: 300),
            Song(id: 3, title: "Sinnerman", album: Ref(2), seconds: 600),
        ])
        try tx.insert([Playlist(id: 1, label: "Monday"), Playlist(id: 2, label: "Sunday")])
        try tx.insert([
            PlaylistSong(id: 1, source: Ref(1), target: Ref(1), position: 0),
            PlaylistSong(id: 2, source: Ref(1), target: Ref(3), position: 1),
            PlaylistSong(id: 3, source: Ref(2), target: Ref(3), position: 0),
        ])
        try tx.insert([Writer(id: 1, name: "Ada Fire"), Writer(id: 2, name: "Bo")])
        try tx.insert([
            Article(id: 1, title: "On fire", writer: 2), Article(id: 2, title: "On rain", writer: 1, reads: 5),
            Article(id: 3, title: "No one", reads: 9),
        ])
        try tx.insert([Shelf(id: 1, name: "top"), Shelf(id: 2, name: "low")])
        try tx.insert([Box(id: 1, shelf: Ref(1)), Box(id: 2, shelf: Ref(2), spare: Ref(1))])
    }
}

/// A stack that is opened by this thread. In an asynchronous closure the compiler would choose the other form.
func opened(
    _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic
) throws -> Stack {
    try Stack(schema, store: provider, migration: migration)
}

func openedStored(_ provider: any StoreProvider) throws -> Stack { try Stack(store: provider) }

/// A provider with a store in a wrapper.
struct WrappedProvider: StoreProvider {
    let base: any StoreProvider
    let wrap: @Sendable (any Store) -> any Store

    var access: StoreAccess { base.access }
    var place: String? { base.place }
    var readingOnly: any StoreProvider { base.readingOnly }

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        wrap(try base.open(schema, migration: migration))
    }
    func openStored() throws -> any Store { wrap(try base.openStored()) }
    func exists() throws -> Bool? { try base.exists() }
    func destroy() throws { try base.destroy() }
}

/// A case about a stack of two parts with a few records.
func parted(
    _ id: String, _ summary: String, requires: Set<Capability> = [],
    modes: [ConformanceCase.Mode] = [.fresh],
    _ body: @escaping @Sendable (PartedShop, Stack) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(
        "parts.\(id)", in: .parts, summary, requires: requires.union([.changeRecording]), modes: modes
    ) { trial in
        let shop = try PartedShop(trial)
        try await shop.run { stack in
            try stack.blocking.write(PartedShop.fill)
            try await body(shop, stack)
        }
    }
}
