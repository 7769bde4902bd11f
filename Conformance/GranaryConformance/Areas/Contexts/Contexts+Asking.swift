import ConformanceKit
import GranaryCore

// A context keeps in mind the greatest key of the state that it is over, so that a greater key is not searched for.

var contextsAskingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.greatest-key", in: .contexts,
            "new records with ascending keys are not looked for one by one, and a key that others take is refused at once",
            modes: [.fresh]
        ) { trial in
            let counter = ReadCounter()
            let stack = try trial.counted(SuiteSchema.shop, by: counter)
            defer { try? stack.blocking.close() }
            try stack.blocking.write { _ = try $0.insert((1...10).map { Artist(id: $0) }) }
            let context = try stack.makeContext()
            _ = counter.take()
            for key in 11...110 { try context.insert(Artist(id: Int64(key))) }
            // The first key is looked for, then the greatest.
            try expectEqual(counter.take(), 2)
            try expectError(.uniqueness) { try context.insert(Artist(id: 10)) }
            try expectError(.uniqueness) { try context.insert(Artist(id: 110)) }
            try context.insert(Artist(id: -1))
            try context.delete(Artist.self, 9)
            try context.insert(Artist(id: 9, label: "again"))
            // Others commit a greater key, and delete one.
            try stack.blocking.write { tx in
                try tx.insert(Artist(id: 200))
                try tx.delete(Artist.self, 8)
            }
            for _ in 1...3 { try expectError(.uniqueness) { try context.insert(Artist(id: 200)) } }
            for key in [199, 201, 8] as [Int64] { try context.insert(Artist(id: key)) }
            try expectError(.uniqueness) { try context.insert(Artist(id: 201)) }
            // A child over the context, and the context after its save.
            let child = try context.makeChild()
            for key in [200, 201, 110, 9] as [Int64] {
                try expectError(.uniqueness) { try child.insert(Artist(id: key)) }
            }
            for key in [300, 301, 302] as [Int64] { try child.insert(Artist(id: key)) }
            try child.blocking.save()
            for _ in 1...3 { try expectError(.uniqueness) { try context.insert(Artist(id: 302)) } }
            try stack.blocking.write { try Artist.where { $0.id > 100 }.deleteAll(in: $0) }
            for key in [302, 301, 300] as [Int64] { try context.insert(Artist(id: key)) }
            try context.blocking.save()
            try expectEqual(
                try stack.blocking.read { try $0.fetch(Artist.where { $0.id > 100 }) }.map(\.id), [300, 301, 302])
        }
    ]
}
