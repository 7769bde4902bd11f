import ConformanceKit
import GranaryCore

// A link goes with either of its ends, also if the end goes elsewhere while the link is pending.

var linkingGoneCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.end-deleted", in: .linking,
            "a link to what others have deleted is dropped by the save, which says so, under every policy"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            for (name, policy) in everyPolicy {
                let context = try trial.stack.makeContext()
                context.mergePolicy = policy
                try trial.write { tx in
                    try tx.upsert(tracks)
                    try tx.upsert(Mix(id: 2))
                    try mix.tracks.replace(with: [tracks[0]], in: tx)
                }
                try mix.tracks.add([tracks[1], tracks[2]], in: context)
                try Mix(id: 2).tracks.add(tracks[3], in: context)
                try trial.write { tx in
                    try tx.delete(Track.self, 2)
                    try tx.delete(Mix.self, 2)
                }
                try expectTracks([1, 3], of: mix, in: context)
                let result = try context.blocking.save()
                try expectEqual(result.conflicts.count, 0, name)
                try expectEqual(
                    result.droppedLinks,
                    [
                        DroppedLink(entity: "Mix", relationship: "tracks", owner: .integer(1), member: .integer(2)),
                        DroppedLink(entity: "Mix", relationship: "tracks", owner: .integer(2), member: .integer(4)),
                    ], name)
                try trial.read { try expectTracks([1, 3], of: mix, in: $0) }
                try expect(!context.hasChanges, "changes are left under \(name)")
            }
        },
        ConformanceCase(
            "linking.end-deleted-child", in: .linking, "a child's link to what its parent has deleted is dropped"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let parent = try trial.stack.makeContext()
            let child = try parent.makeChild()
            try mix.tracks.add([tracks[1], tracks[2]], in: child)
            try parent.delete(Track.self, 2)
            try expectTracks([1, 3], of: mix, in: child)
            let dropped = DroppedLink(entity: "Mix", relationship: "tracks", owner: .integer(1), member: .integer(2))
            try expectEqual(try child.saveToParent().droppedLinks, [dropped])
            try expectTracks([1, 3], of: mix, in: parent)
            try mix.tracks.add([tracks[3], tracks[4]], in: child)
            try trial.write { try $0.delete(Track.self, 5) }
            try parent.delete(Track.self, 4)
            let others = [4, 5].map {
                DroppedLink(entity: "Mix", relationship: "tracks", owner: .integer(1), member: .integer($0))
            }
            try expectEqual(try child.blocking.save().droppedLinks.sorted { $0.member < $1.member }, others)
            try trial.read { try expectTracks([1, 3], of: mix, in: $0) }
        },
        ConformanceCase(
            "linking.end-deleted-refresh", in: .linking,
            "a refresh leaves it to the save to drop a link to what is gone"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let context = try trial.stack.makeContext()
            try mix.tracks.add([tracks[1], tracks[2]], in: context)
            try trial.write { try $0.delete(Track.self, 2) }
            try context.refresh()
            try expectTracks([1, 3], of: mix, in: context)
            let dropped = DroppedLink(entity: "Mix", relationship: "tracks", owner: .integer(1), member: .integer(2))
            try expectEqual(try context.blocking.save().droppedLinks, [dropped])
            try trial.read { try expectTracks([1, 3], of: mix, in: $0) }
        },
        ConformanceCase(
            "linking.end-back", in: .linking, "a link whose end was deleted elsewhere is shown when the end is back"
        ) { trial in
            let (mix, tracks) = try fillMixes(trial)
            let context = try trial.stack.makeContext()
            try mix.tracks.add(tracks[1], in: context)
            try trial.write { try $0.delete(Track.self, 2) }
            try expectTracks([1], of: mix, in: context)
            try context.insert(Track(id: 2, title: "again"))
            try expectTracks([1, 2], of: mix, in: context)
            try expectEqual(try context.blocking.save().droppedLinks, [])
            try trial.read { try expectTracks([1, 2], of: mix, in: $0) }
        },
    ]
}
