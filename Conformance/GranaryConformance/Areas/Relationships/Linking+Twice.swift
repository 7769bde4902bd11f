import ConformanceKit
import GranaryCore

// The same many-to-many link made on two sides is one link: nothing to decide, for no policy.

var linkingTwiceCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.twice", in: .linking, "the same link made in two contexts is one, under every policy"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            for (number, (name, policy)) in everyPolicy.enumerated() {
                let (one, other) = (try trial.stack.makeContext(), try trial.stack.makeContext())
                defer { other.reset() }
                other.mergePolicy = policy
                let key = tracks[number % 5 + 1].id
                try trial.write { try mix.tracks.replace(with: [tracks[0]], in: $0) }
                for context in [one, other] {
                    try mix.tracks.add(keys: [key], in: context)
                    try mix.favourites.add(keys: [key], in: context)
                }
                try one.blocking.save()
                try expectTracks([1, key], of: mix, in: other)
                try expectEqual(try mix.favourites.all.count(in: other), try mix.favourites.all.fetch(in: other).count)
                let result = try other.blocking.save()
                try expect(result.isEmpty && result.conflicts.isEmpty, "under \(name): \(result)")
                try trial.read { try expectTracks([1, key], of: mix, in: $0) }
            }
        },
        ConformanceCase(
            "linking.twice-child", in: .linking, "the same link made in a context and in its child is one"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            for (name, policy) in everyPolicy {
                let parent = try trial.stack.makeContext()
                let child = try parent.makeChild()
                child.mergePolicy = policy
                try trial.write { try mix.tracks.replace(with: [tracks[0]], in: $0) }
                try mix.tracks.add(tracks[1], in: child)
                try mix.tracks.add(tracks[1], in: parent)
                try expectTracks([1, 2], of: mix, in: child)
                let result = try child.saveToParent()
                try expect(result.isEmpty && result.conflicts.isEmpty, "under \(name): \(result)")
                try expectTracks([1, 2], of: mix, in: parent)
                // Through both levels, with a third side.
                try mix.tracks.add(tracks[2], in: child)
                try mix.tracks.add(tracks[2], in: parent)
                try trial.write { try mix.tracks.add([tracks[1], tracks[2]], in: $0) }
                try expectTracks([1, 2, 3], of: mix, in: child)
                try child.blocking.save()
                try trial.read { try expectTracks([1, 2, 3], of: mix, in: $0) }
            }
        },
        ConformanceCase(
            "linking.twice-again", in: .linking, "a link made on two sides is refreshed, made again, and ended, as one"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let context = try trial.stack.makeContext()
            try mix.tracks.add([tracks[1], tracks[2], tracks[3]], in: context)
            try trial.write { try mix.tracks.add([tracks[1], tracks[2]], in: $0) }
            try mix.tracks.add([tracks[1], tracks[4]], in: context)
            try mix.tracks.remove(tracks[2], in: context)
            try expectEqual(Set(try mix.tracks.all.fetch(in: context).map(\.id)), [1, 2, 4, 5])
            try context.refresh()
            try expect(context.inserted(Track.self).isEmpty, "a track was inserted")
            try mix.tracks.add([tracks[1], tracks[2]], in: context)
            try mix.tracks.remove(tracks[1], in: context)
            try expectEqual(Set(try mix.tracks.all.fetch(in: context).map(\.id)), [1, 3, 4, 5])
            try context.blocking.save()
            try expectEqual(Set(try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }), [1, 3, 4, 5])
            try trial.read { try expectEqual(try mix.tracks.all.count(in: $0), 4) }
        },
        ConformanceCase(
            "linking.twice-taken-back", in: .linking, "a link made on two sides is taken back on one"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let context = try trial.stack.makeContext()
            try mix.tracks.add(tracks[1], in: context)
            try trial.write { try mix.tracks.add(tracks[1], in: $0) }
            struct Stop: Error {}
            do {
                try context.savepoint {
                    try mix.tracks.remove(tracks[1], in: context)
                    try expectTracks([1], of: mix, in: context)
                    throw Stop()
                }
            } catch is Stop {}
            try expectTracks([1, 2], of: mix, in: context)
            context.rollback()
            try expectTracks([1, 2], of: mix, in: context)
        },
        ConformanceCase(
            "linking.names", in: .linking, "errors about links name the relationship and the record type that owns it"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try trial.write { try mix.kept.add(tracks[0], in: $0) }
            func check(
                _ code: GranaryError.Code, _ name: String, _ message: String, line: Int = #line,
                _ body: (Context) throws -> Void
            ) throws {
                func check(_ context: Context) throws {
                    let error = try expectError(code, entity: "Mix", attributes: [name], line: line) {
                        try body(context)
                    }
                    try expectEqual(error.message, message, line: line)
                }
                try check(context)
                try trial.write { try check($0) }
            }
            let links = try trial.stack.schema.position(ofEntity: "Mix_favourites")
            try check(
                .uniqueness, "favourites",
                "A Track is linked twice to the same Mix by Mix.favourites. Link it once."
            ) { _ = try $0.insert([.integer(0), .integer(1), .integer(1)], into: links) }
            try check(
                .danglingReference, "tracks",
                "Mix.tracks would link a Track that does not exist. Insert that one first."
            ) { try add(77, to: mix.tracks, in: $0) }
            try check(
                .danglingReference, "tracks",
                "Mix.tracks would link a Mix that does not exist. Insert that one first."
            ) { try add(1, to: Mix(id: 77).tracks, in: $0) }
            try check(
                .danglingReference, "tracks",
                "Mix.tracks would link a Track that does not exist. Insert that one first."
            ) { try addDeferred(77, to: mix.tracks, in: $0) }
            try check(
                .deniedDeletion, "kept",
                "A record of Mix cannot be deleted: Mix.kept links it. Remove these links first."
            ) { _ = try $0.delete(.integer(1), from: 0) }
            try check(
                .deniedDeletion, "kept",
                "A record of Mix cannot be deleted: Mix.kept links it. Remove these links first."
            ) { _ = try $0.deleteAll(FetchRequest(entity: 0)) }
        },
        ConformanceCase(
            "linking.names-values", in: .linking, "errors of every kind about links name the relationship and its owner"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let schema = try trial.stack.schema
            let favourites = try schema.position(ofEntity: "Mix_favourites")
            let (ordered, kept) = (
                try schema.position(ofEntity: "Mix_tracks"), try schema.position(ofEntity: "Mix_kept")
            )
            let all = FetchRequest(entity: favourites)
            let place = try schema.entities[ordered].position(ofAttribute: "position")
            func check(_ context: Context) throws {
                func expect(_ code: GranaryError.Code, _ name: String = "favourites", _ body: () throws -> Void) throws
                {
                    let error = try expectError(code, entity: "Mix", attributes: [name], body)
                    try ConformanceKit.expect(
                        error.message.contains("Mix.\(name)") && !"\(error)".contains("_"), "\(error)")
                }
                let one = StoredValue.integer(1)
                try expect(.required) { _ = try context.insert([.integer(0), .null, one], into: favourites) }
                try expect(.typeMismatch) {
                    _ = try context.insert([.integer(0), .string("1"), one], into: favourites)
                }
                try expect(.typeMismatch) { _ = try context.insert([.integer(0)], into: favourites) }
                try expect(.typeMismatch) { _ = try context.delete(.string("1"), from: favourites) }
                try expect(.unknownAttribute) {
                    _ = try context.updateAll(all, setting: [Assignment(position: 7, value: one)])
                }
                try expect(.required) {
                    _ = try context.updateAll(all, setting: [Assignment(position: 1, value: .null)])
                }
                try expect(.overflow, "tracks") {
                    let huge = Assignment(position: place, value: .integer(.max), operation: .add)
                    _ = try context.updateAll(FetchRequest(entity: ordered), setting: [huge, huge])
                }
                _ = try context.insert([.integer(.max), one, one], into: kept)
                try expect(.limit, "kept") { try mix.kept.add(tracks[1], in: context) }
            }
            try trial.write { try check($0) }
            try trial.write { try mix.kept.removeAll(in: $0) }
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try check(context)
            let unknown = try expectError(.unknownEntity) { _ = try DynamicRecord("Mixes", in: schema) }
            try expect(!unknown.message.contains("_"), unknown.message)
        },
        ConformanceCase(
            "linking.changes", in: .linking, "a context lists the records that it would save, and no links"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let context = try trial.stack.makeContext()
            try mix.tracks.add(tracks[1], in: context)
            try expect(context.hasChanges && context.changes.isEmpty, "links are listed: \(context.changes)")
            try context.insert(Mix(id: 9))
            try Mix(id: 9).tracks.add(tracks[1], in: context)
            try context.delete(Track.self, 1)
            try expectEqual(
                context.changes.map(\.place),
                [RecordChange.Place(entity: 0, key: .integer(9)), RecordChange.Place(entity: 1, key: .integer(1))])
            try context.blocking.save()
            try expectEqual(try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, [2])
        },
        ConformanceCase(
            "linking.denied-elsewhere", in: .linking,
            "a deletion that links made elsewhere deny is refused by the relationship's name"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            for (_, policy) in everyPolicy {
                let context = try trial.stack.makeContext()
                defer { context.reset() }
                context.mergePolicy = policy
                try context.delete(Mix.self, 1)
                try trial.write { try mix.kept.add(tracks[0], in: $0) }
                let error = try expectError(.deniedDeletion, entity: "Mix", attributes: ["kept"]) {
                    try context.blocking.save()
                }
                try expect(!"\(error)".contains("_"), "\(error)")
                try trial.write { try mix.kept.removeAll(in: $0) }
            }
        },
    ]
}

private func add(_ key: Int64, to tracks: RelatedRecords<Mix, Track>, in context: Context) throws {
    try tracks.add(keys: [key], in: context)
}

private func addDeferred(_ key: Int64, to tracks: RelatedRecords<Mix, Track>, in context: Context) throws {
    try context.deferringReferences { try tracks.add(keys: [key], in: context) }
}
