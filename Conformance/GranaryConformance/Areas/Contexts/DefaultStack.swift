import ConformanceKit
import ConformanceModels
import GranaryCore

// `.main`: the main context of the default stack, which here is one within a closure.

var defaultStackCases: [ConformanceCase] {
    [
        ConformanceCase(
            "default.read", in: .defaultStack, ".main is the main context of the default stack", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            try await readDefault(stack)
        },
        ConformanceCase(
            "default.pending", in: .defaultStack,
            "what is changed in .main is pending there until it is saved", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            try await changeDefault(stack)
            try expectEqual(try trial.keys(Genre.all), [1, 2, 3, 7])
            try expectEqual(try trial.fetch(songs(of: 1).all).map(\.id), [6, 1, 5])
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
            "default.none", in: .defaultStack, "without a default stack .main throws, and nothing is done",
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
        try expectEqual(try Song.find(3, in: .main)?.title, "Cloud")
        try expectEqual(try Song.find([5, 99, 2], in: .main).map(\.id), [5, 2])
        try expectEqual(try Song.first(in: .main)?.id, 1)
        try expectEqual(try Song.sorted(by: "seconds").last(in: .main)?.id, 5)
        try expectEqual(try Song.count(in: .main), 6)
        try expectEqual(try Tag.all.exists(in: .main), false)
        try expectEqual(try EditContext.main.exists(Song.self, 6), true)
        try expectEqual(try Song.where { $0.seconds == 100 }.fetch(in: .main).map(\.id), [1, 4])
        try expectEqual(try Song.where { $0.seconds == 100 }.first(in: .main)?.id, 1)
        try expectEqual(try Song.where { $0.seconds == 100 }.last(in: .main)?.id, 4)
        try expectEqual(try Song.where { $0.seconds > 100 }.count(in: .main), 2)
        try expectEqual(try Song.where { $0.seconds > 300 }.exists(in: .main), false)
        try expectEqual(try Song.sorted(by: "-title").limit(2).fetch(in: .main).map(\.id), [6, 5])
        try expectEqual(try Song.where("id IN %@", [1, 2, 9]).fetch(in: .main).map(\.id), [1, 2])
        let query = Song.where { $0.seconds == 100 }
        let titles = query.select { $0.title }
        try expectEqual(try titles.fetch(in: .main), ["Able", "Dawn"])
        let first: String? = try titles.first(in: .main)
        try expectEqual(first, "Able")
        try expectEqual(try query.select { $0.seconds }.distinct().count(in: .main), 1)
        let grouped = Song.all.grouped(by: { $0.album.title }).select { ($0.album.title, $0.id.count) }
        try expectEqual(try grouped.fetch(in: .main).map { $0.1 }, [3, 1, 2])
        try expectEqual(try query.with { $0.album }.fetch(in: .main).map { $0.1.title }, ["Alpha", "Beta"])
        try expectEqual(try Song.all.sum(\.seconds, in: .main), 700)
        try expectEqual(try Song.all.maximum(\.title, in: .main), "Fog")
        try expectEqual(try Shop.songs[0].album.fetch(in: .main)?.title, "Alpha")
        let mix = songs(of: 1)
        try expectEqual(try mix.all.fetch(in: .main).map(\.id), [1, 2, 5])
        try expectEqual(try mix.all.where { $0.id > 1 }.fetch(in: .main).map(\.id), [2, 5])
        try expectEqual(try mix.all.first(in: .main)?.id, 1)
        try expectEqual(try mix.all.limit(2).fetch(in: .main).map(\.id), [1, 2])
        try expectEqual(try mix.all.last(in: .main)?.id, 5)
        try expectEqual(try mix.all.count(in: .main), 3)
        try expectEqual(try mix.all.count(in: .main) == 0, false)
        try expectEqual(try mix.contains(Shop.songs[4], in: .main), true)
        try expectEqual(try mix.all.where { $0.id > 1 }.first(in: .main)?.id, 2)
        try expectEqual(try mix.all.sorted(by: \.id, .descending).fetch(in: .main).map(\.id), [5, 2, 1])
        try expectError(.unknownAttribute, entity: "Song") { try Song.sorted(by: "nothing").fetch(in: .main).count }
    }
}

@MainActor private func changeDefault(_ stack: Stack) throws {
    let context = try stack.mainContext
    defer { context.reset() }
    try Stack.withDefault(stack) { () throws in
        try Genre(id: 7, label: "Soul").insert(in: .main)
        try expectEqual(try Genre.findOrCreate(where: { $0.label == "Soul" }, in: .main).id, 7)
        let mix = songs(of: 1)
        try mix.add(Shop.songs[5], in: .main)
        try mix.add(keys: [3], in: .main)
        try mix.move(from: 3, to: 0, in: .main)
        try mix.remove(Shop.songs[1], in: .main)
        try mix.remove(keys: [3], in: .main)
        try expectEqual(try mix.all.fetch(in: .main).map(\.id), [6, 1, 5])
        try songs(of: 4).replace(with: [Shop.songs[0]], in: .main)
        try songs(of: 4).insert(Shop.songs[1], at: 0, in: .main)
        try expectEqual(try songs(of: 4).all.fetch(in: .main).map(\.id), [2, 1])
        try songs(of: 4).removeAll(in: .main)
        try expectEqual(try songs(of: 4).all.exists(in: .main), false)
        try expectEqual(try Song.where { $0.seconds == nil }.updateAll(in: .main) { $0.set(\.seconds, to: 7) }, 2)
        try expectEqual(try Employee.where { $0.salary == 50 }.deleteAll(in: .main), 2)
        // A call that fails has done nothing of it.
        try expectError(.uniqueness, entity: "Genre") { try Genre(id: 8, label: "Soul").insert(in: .main) }
        try expectError(.danglingReference, entity: "Playlist", attributes: ["songs"]) {
            try mix.add(keys: [2, 77], in: .main)
        }
        try expectEqual(try mix.all.count(in: .main), 3)

        try stack.blocking.read { snapshot in
            try expectEqual(try Genre.count(in: snapshot), 3)
            try expectEqual(try mix.all.fetch(in: snapshot).map(\.id), [1, 2, 5])
            try expectEqual(try Song.where { $0.seconds == 7 }.count(in: snapshot), 0)
        }
        try context.blocking.save()
        try stack.blocking.read { snapshot in
            try expectEqual(try Song.where { $0.seconds == 7 }.count(in: snapshot), 2)
            try expectEqual(try Employee.count(in: snapshot), 4)
        }
    }
}

@MainActor private func nestDefaults(_ stack: Stack, _ other: Stack) throws {
    try Stack.withDefault(stack) { () throws in
        try expectEqual(try Song.count(in: .main), 6)
        try Stack.withDefault(other) { () throws in try expectEqual(try Song.count(in: .main), 0) }
        try expectEqual(try Song.count(in: .main), 6)
    }
}

@MainActor private func expectNoDefault() throws {
    try expectError(.noDefaultStack) { try Song.find(1, in: .main) }
    try expectError(.noDefaultStack) { try Song.where { $0.id > 1 }.count(in: .main) }
    try expectError(.noDefaultStack) { try Song.all.select { $0.title }.fetch(in: .main) }
    try expectError(.noDefaultStack) { try Song.all.with { $0.album }.fetch(in: .main).count }
    try expectError(.noDefaultStack) { try songs(of: 1).all.fetch(in: .main) }
    try expectError(.noDefaultStack) { try Ref<Song>(1).fetch(in: .main) }
    try expectError(.noDefaultStack) { try Genre(id: 7, label: "Soul").insert(in: .main) }
    try expectError(.noDefaultStack) { try songs(of: 1).add(keys: [3], in: .main) }
    try expectError(.noDefaultStack) { try Genre.deleteAll(in: .main) }
}
