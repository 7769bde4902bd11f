import ConformanceKit
import ConformanceModels
import GranaryCore

// Finders without a context: on the main context of the default stack, which here is one within a closure.

var defaultStackCases: [ConformanceCase] {
    [
        ConformanceCase(
            "default.read", in: .defaultStack, "finders without a context ask the default stack", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            try await readDefault(stack)
        },
        ConformanceCase(
            "default.pending", in: .defaultStack,
            "what finders without a context change is pending in the main context until it is saved", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            try await changeDefault(stack)
            try expectEqual(try trial.keys(Genre.all), [1, 2, 3, 7])
            try expectEqual(try trial.fetch(songs(of: 1).query).map(\.id), [6, 1, 5])
        },
        ConformanceCase(
            "default.two", in: .defaultStack, "each closure has a default stack of its own, also one within another",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            let other = try trial.another(SuiteSchema.shop, at: trial.folder + "/Other.granary")
            try trial.write(Shop.fill)
            try await nestDefaults(stack, other)
        },
        ConformanceCase(
            "default.none", in: .defaultStack, "without a default stack finders throw, and nothing is done",
            modes: [.fresh]
        ) { trial in
            _ = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            // A program that runs the suite may have one.
            guard Stack.default == nil else { return }
            try await expectNoDefault()
            try expectEqual(try trial.keys(Genre.all), [1, 2, 3])
        },
    ]
}

private func songs(of playlist: Int64) -> RelatedRecords<Playlist, Song> {
    RelatedRecords(of: playlist, Playlist.relationships[0].relationship)
}

@MainActor private func readDefault(_ stack: Stack) throws {
    try Stack.withDefault(stack) { () throws in
        try expectEqual(try Song.find(3)?.title, "Cloud")
        try expectEqual(try Song.find([5, 99, 2]).map(\.id), [5, 2])
        try expectEqual(try Song.first()?.id, 1)
        try expectEqual(try Song.last(by: "seconds")?.id, 5)
        try expectEqual(try Song.count(), 6)
        try expectEqual(try Tag.exists(), false)
        try expectEqual(try Song.exists(6), true)
        try expectEqual(try Song.fetch(where: { $0.seconds == 100 }).map(\.id), [1, 4])
        try expectEqual(try Song.first(where: { $0.seconds == 100 })?.id, 1)
        try expectEqual(try Song.last(where: { $0.seconds == 100 })?.id, 4)
        try expectEqual(try Song.count(where: { $0.seconds > 100 }), 2)
        try expectEqual(try Song.exists(where: { $0.seconds > 300 }), false)
        try expectEqual(try Song.sorted(by: "-title").limit(2).fetch().map(\.id), [6, 5])
        try expectEqual(try Song.where("id IN %@", [1, 2, 9]).fetch().map(\.id), [1, 2])
        let query = Song.where { $0.seconds == 100 }
        let titles = query.select { $0.title }
        try expectEqual(try titles.fetch(), ["Able", "Dawn"])
        let first: String? = try titles.first()
        try expectEqual(first, "Able")
        try expectEqual(try query.select { $0.seconds }.distinct().count(), 1)
        let grouped = Song.grouped(by: { $0.album.title }, select: { ($0.album.title, $0.id.count) })
        try expectEqual(try grouped.fetch().map { $0.1 }, [3, 1, 2])
        try expectEqual(try query.with { $0.album }.fetch().map { $0.1.title }, ["Alpha", "Beta"])
        try expectEqual(try Song.all.sum(\.seconds), 700)
        try expectEqual(try Song.all.maximum(\.title), "Fog")
        try expectEqual(try Shop.songs[0].album.fetch()?.title, "Alpha")
        let mix = songs(of: 1)
        try expectEqual(try mix.fetch().map(\.id), [1, 2, 5])
        try expectEqual(try mix.fetch { $0.id > 1 }.map(\.id), [2, 5])
        try expectEqual(try mix.first()?.id, 1)
        try expectEqual(try mix.first(2).map(\.id), [1, 2])
        try expectEqual(try mix.last()?.id, 5)
        try expectEqual(try mix.count(), 3)
        try expectEqual(try mix.isEmpty(), false)
        try expectEqual(try mix.contains(Shop.songs[4]), true)
        try expectEqual(try mix.where { $0.id > 1 }.first()?.id, 2)
        try expectEqual(try mix.sorted(by: \.id, .descending).fetch().map(\.id), [5, 2, 1])
        try expectError(.unknownAttribute, entity: "Song") { try Song.sorted(by: "nothing").fetch().count }
    }
}

@MainActor private func changeDefault(_ stack: Stack) throws {
    let context = try stack.mainContext
    defer { context.reset() }
    try Stack.withDefault(stack) { () throws in
        try Genre(id: 7, label: "Soul").insert()
        try expectEqual(try Genre.findOrCreate(where: { $0.label == "Soul" }).id, 7)
        let mix = songs(of: 1)
        try mix.add(Shop.songs[5])
        try mix.add(keys: [3])
        try mix.move(from: 3, to: 0)
        try mix.remove(Shop.songs[1])
        try mix.remove(keys: [3])
        try expectEqual(try mix.fetch().map(\.id), [6, 1, 5])
        try songs(of: 4).replace(with: [Shop.songs[0]])
        try songs(of: 4).insert(Shop.songs[1], at: 0)
        try expectEqual(try songs(of: 4).fetch().map(\.id), [2, 1])
        try songs(of: 4).removeAll()
        try expectEqual(try songs(of: 4).isEmpty(), true)
        try expectEqual(try Song.where { $0.seconds == nil }.updateAll { $0.set(\.seconds, to: 7) }, 2)
        try expectEqual(try Employee.deleteAll(where: { $0.salary == 50 }), 2)
        // A call that fails has done nothing of it.
        try expectError(.uniqueness, entity: "Genre") { try Genre(id: 8, label: "Soul").insert() }
        try expectError(.danglingReference, entity: "Playlist", attributes: ["songs"]) { try mix.add(keys: [2, 77]) }
        try expectEqual(try mix.count(), 3)

        try stack.readNow { snapshot in
            try expectEqual(try Genre.count(in: snapshot), 3)
            try expectEqual(try mix.fetch(in: snapshot).map(\.id), [1, 2, 5])
            try expectEqual(try Song.count(where: { $0.seconds == 7 }, in: snapshot), 0)
        }
        try context.saveNow()
        try stack.readNow { snapshot in
            try expectEqual(try Song.count(where: { $0.seconds == 7 }, in: snapshot), 2)
            try expectEqual(try Employee.count(in: snapshot), 4)
        }
    }
}

@MainActor private func nestDefaults(_ stack: Stack, _ other: Stack) throws {
    try Stack.withDefault(stack) { () throws in
        try expectEqual(try Song.count(), 6)
        try Stack.withDefault(other) { () throws in try expectEqual(try Song.count(), 0) }
        try expectEqual(try Song.count(), 6)
    }
}

@MainActor private func expectNoDefault() throws {
    try expectError(.noDefaultStack) { try Song.find(1) }
    try expectError(.noDefaultStack) { try Song.count(where: { $0.id > 1 }) }
    try expectError(.noDefaultStack) { try Song.all.select { $0.title }.fetch() }
    try expectError(.noDefaultStack) { try Song.all.with { $0.album }.fetch().count }
    try expectError(.noDefaultStack) { try songs(of: 1).fetch() }
    try expectError(.noDefaultStack) { try Ref<Song>(1).fetch() }
    try expectError(.noDefaultStack) { try Genre(id: 7, label: "Soul").insert() }
    try expectError(.noDefaultStack) { try songs(of: 1).add(keys: [3]) }
    try expectError(.noDefaultStack) { try Genre.deleteAll() }
}
