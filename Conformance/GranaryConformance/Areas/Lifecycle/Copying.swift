import ConformanceKit
import Foundation
import GranaryCore
import GranaryPlatform

var copyingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "copy.same-kind", in: .copy,
            "a copy has the records, links and their order, assigned keys, history and commits, and is a store of its own",
            requires: [.filling]
        ) { trial in
            try trial.close()
            let history: HistoryPolicy = trial.subject.keepsHistory ? .everything : .none
            let stack = try trial.another(WholeStore.schema, history: history)
            try await WholeStore.fill(stack)
            let records = try WholeStore.records(stack)
            let place = trial.folder + "/Copy.granary"
            var copy = try await stack.copy(to: trial.subject.storeProvider(at: place))
            if trial.mode == .reopened {
                try await copy.close()
                copy = try trial.another(WholeStore.schema, at: place, migration: .refuse, history: history)
            }
            try WholeStore.expectSame(copy, as: records)
            try expectEqual(try WholeStore.number(copy), try WholeStore.number(stack))
            if history != .none {
                let changes = try copy.committed(since: 0)
                try expectEqual(changes.map(\.origin.name), ["first", "second", nil])
                try expectEqual(changes.map(\.changes), try stack.committed(since: 0).map(\.changes))
            }
            try await WholeStore.expectWorking(copy, nextKey: 4)
            try WholeStore.expectSame(stack, as: records)
            try await copy.close()
        },
        ConformanceCase(
            "copy.other-kinds", in: .copy,
            "a store is copied to each other kind and back, and nothing is lost on the way",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(WholeStore.schema, at: trial.folder + "/Source.granary")
            try await WholeStore.fill(stack)
            let records = try WholeStore.records(stack)
            for peer in try trial.otherKinds() {
                let there = trial.folder + "/\(peer.name).granary"
                let copy = try await stack.copy(to: peer.storeProvider(at: there))
                try WholeStore.expectSame(copy, as: records)
                try expectEqual(try WholeStore.number(copy), try WholeStore.number(stack))
                let back = try await copy.copy(to: trial.subject.storeProvider(at: there + ".back"))
                try WholeStore.expectSame(back, as: records)
                try await WholeStore.expectWorking(copy, nextKey: 4)
                try await WholeStore.expectWorking(back, nextKey: 4)
                try await copy.close()
                try await back.close()
            }
        },
        ConformanceCase(
            "copy.empty", in: .copy, "a store without records is copied", requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let copy = try await stack.copy(to: trial.subject.storeProvider(at: trial.folder + "/Copy.granary"))
            try expectEqual(try WholeStore.records(copy), [:])
            try expectEqual(try copy.blocking.write { try $0.insert(Counter(label: "first")).id }, 1)
            try expectEqual(try copy.blocking.verify(), [])
            try await copy.close()
        },
        ConformanceCase(
            "copy.taken", in: .copy, "a copy never replaces a store", requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "here")])
            let place = trial.folder + "/Other.granary"
            let other = try trial.another(at: place)
            try await other.write { _ = try $0.insert(Shelf(id: 2, name: "there")) }
            let stack = try trial.stack
            for isOpen in [true, false] {
                if !isOpen { try await other.close() }
                try await expectAsyncError(.invalidPath) {
                    try await stack.copy(to: trial.subject.storeProvider(at: place))
                }
            }
            try expectEqual(
                try trial.another(at: place).blocking.read {
                    try $0.fetch(Shelf.all).map(\.name)
                }, ["there"])
        },
        ConformanceCase(
            "copy.inside", in: .copy, "a copy inside the folder of a store is refused",
            requires: [.filling, .persistence],
            modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            let stack = try trial.stack
            for place in ["/Copy.granary", "/gen-0001/Copy.granary"] {
                try await expectAsyncError(.invalidPath) {
                    try await stack.copy(to: trial.subject.storeProvider(at: trial.storePath + place))
                }
                try expect(kindOfFile(trial.storePath + place) == nil, "something was made")
            }
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 1)
        },
        ConformanceCase(
            "copy.while-writing", in: .copy, "a copy holds one committed state, while others write",
            requires: [.filling],
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Shelf(id: 1, name: "0")])
            let isEnough = CancellationFlag()
            let writer = Worker("the writer") {
                var number = 0
                while !isEnough.isSet || number < 20 {
                    number += 1
                    let label = "\(number)"
                    try stack.blocking.write { tx in
                        try tx.update(Shelf(id: 1, name: label))
                        try tx.insert(Counter(label: label))
                    }
                }
                return number
            }
            for round in 0..<8 {
                let place = trial.folder + "/Copy-\(round).granary"
                let copy = try await stack.copy(to: trial.subject.storeProvider(at: place))
                try copy.blocking.read { snapshot in
                    try expectEqual("\(try snapshot.count(Counter.all))", try snapshot.find(Shelf.self, 1)?.name)
                }
                try expectEqual(try copy.blocking.verify(), [])
                try await copy.close()
            }
            isEnough.set()
            let total = try writer.value()
            try expectEqual(try stack.blocking.read { try $0.count(Counter.all) }, total)
        },
        ConformanceCase(
            "copy.progress", in: .copy, "a copy says how far it has come", requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try await stack.write { tx in _ = try tx.insert((0..<5000).map { Shelf(id: Int64($0)) }) }
            let seen = Journal<StoreProgress>()
            let copy = try await stack.copy(
                to: trial.subject.storeProvider(at: trial.folder + "/Copy.granary"), onProgress: { seen.add($0) })
            let rows = seen.entries.map(\.records)
            try expectEqual(rows.first, 0)
            try expectEqual(rows.last, 5000)
            try expectEqual(rows, rows.sorted())
            try expect(rows.count > 4, "it says so \(rows.count) times")
            try expectEqual(Set(seen.entries.map(\.total)), [5000])
            try await copy.close()
        },
        ConformanceCase(
            "copy.cancelled", in: .copy, "a copy whose task is cancelled is not there", requires: [.filling],
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try await stack.write { tx in _ = try tx.insert((0..<5000).map { Shelf(id: Int64($0)) }) }
            let place = trial.folder + "/Copy.granary"
            let provider = trial.subject.storeProvider(at: place)
            let hasBegun = Event("the copy's begin")
            let isCancelled = Event("the cancellation")
            let task = Task(executorPreference: trial.executor) {
                _ = try await stack.copy(to: provider) { progress in
                    guard progress.records > 1000 else { return }
                    hasBegun.set()
                    try? isCancelled.wait()
                }
            }
            try await hasBegun.happened()
            task.cancel()
            isCancelled.set()
            try await expectAsyncError(.cancelled) { try await task.value }
            try trial.expectNoStore(at: place)
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 5000)
        },
        ConformanceCase(
            "copy.backup", in: .copy, "a backup is a store of the same kind with all that was committed",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            try trial.close()
            let stack = try trial.another(WholeStore.schema)
            try await WholeStore.fill(stack)
            let records = try WholeStore.records(stack)
            let place = URL(filePath: trial.folder + "/Backup.granary")
            try await stack.backUp(to: place)
            try await expectAsyncError(.invalidPath) { try await stack.backUp(to: place) }
            try stack.blocking.write { _ = try Note.all.deleteAll(in: $0) }
            let backup = try trial.another(WholeStore.schema, at: place.path, migration: .refuse)
            try WholeStore.expectSame(backup, as: records)
            try expectEqual(try WholeStore.number(backup), try WholeStore.number(stack) - 1)
            try await WholeStore.expectWorking(backup, nextKey: 4)
            let cancelled = URL(filePath: trial.folder + "/Cancelled.granary")
            let isCancelled = Event("the cancellation")
            let task = Task(executorPreference: trial.executor) {
                try isCancelled.wait()
                try await stack.backUp(to: cancelled)
            }
            task.cancel()
            isCancelled.set()
            try await expectAsyncError(.cancelled) { try await task.value }
            try expect(kindOfFile(cancelled.path) == nil, "something is left")
        } otherwise: { trial in
            if trial.subject.isParted { throw NotTested(reason: "the part with files is backed up") }
            let stack = try trial.stack
            try await expectAsyncError(.unsupported) {
                try await stack.backUp(to: URL(filePath: trial.folder + "/Backup.granary"))
            }
        },
    ]
}
