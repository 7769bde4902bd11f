import ConformanceKit
import Foundation
import GranaryCore

var keysCases: [ConformanceCase] {
    integerKeysCases + textKeysCases + uuidKeysCases + assignedKeysCases
}

private var integerKeysCases: [ConformanceCase] {
    [
        ConformanceCase(
            "keys.integer", in: .keys, "integer keys from the least to the greatest order as numbers"
        ) { trial in
            let keys: [Int64] = [.min, .min + 1, -(1 << 32), -256, -255, -1, 0, 1, 255, 256, 1 << 32, .max - 1, .max]
            var random = CaseRandom(seed: trial.seed)
            try trial.insert(keys.shuffled(using: &random).map { Shelf(id: $0, name: "\($0)") })
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Shelf.all).map(\.id), keys)
                for key in keys { try expectEqual(try snapshot.find(Shelf.self, key), Shelf(id: key, name: "\(key)")) }
                try expectEqual(
                    try snapshot.fetch(Shelf.sorted(by: \.id, .descending)).map(\.id), Array(keys.reversed()))
                for (position, key) in keys.enumerated() {
                    try expectEqual(
                        try snapshot.fetch(Shelf.where { $0.id < key }).map(\.id), Array(keys[..<position]))
                    try expectEqual(
                        try snapshot.fetch(Shelf.where { $0.id >= key }).map(\.id), Array(keys[position...]))
                    try expectEqual(try snapshot.count(Shelf.where { $0.id != key }), keys.count - 1)
                }
                try expectEqual(try snapshot.find(Shelf.self, 2), nil)
            }
        },
        ConformanceCase(
            "keys.integer-delete", in: .keys, "deleting and updating by an integer key touch that record alone"
        ) { trial in
            try trial.insert([-1, 0, 1, Int64.min, .max].map { Shelf(id: $0, name: "old") })
            try trial.write {
                try expect(try $0.delete(Shelf.self, 0), "0 was there")
                try $0.update(Shelf(id: -1, name: "new"))
                try expect(try !$0.delete(Shelf.self, 2), "2 was not there")
            }
            try expectEqual(
                try trial.fetch(Shelf.all),
                [
                    Shelf(id: .min, name: "old"), Shelf(id: -1, name: "new"), Shelf(id: 1, name: "old"),
                    Shelf(id: .max, name: "old"),
                ])
        },
        ConformanceCase("keys.in", in: .keys, "a condition on keys lists records in the order of keys") { trial in
            try trial.insert((1...20).map { Shelf(id: $0) })
            try trial.read {
                try expectEqual(
                    try $0.fetch(Shelf.where { $0.id.in([15, -3, 3, 15, 99, 1]) }).map(\.id), [1, 3, 15])
                try expectEqual(
                    try $0.fetch(Shelf.where { !$0.id.in(Array(2...19)) }).map(\.id), [1, 20])
                try expectEqual(
                    try $0.fetch(Shelf.where { $0.id.in([4, 9]) || $0.id > 18 }).map(\.id), [4, 9, 19, 20])
            }
        },
    ]
}

private var textKeysCases: [ConformanceCase] {
    [
        ConformanceCase("keys.text", in: .keys, "text keys order by bytes; empty ones and NUL are keys") { trial in
            let keys = [
                "", "\0", "\0\0", "\0a", "A", "B", "a", "a\0", "a\0b", "aa", "ab", "b", "e\u{301}", "z", "\u{E9}",
                "\u{FFFD}",
                "\u{1F600}",
            ]
            var random = CaseRandom(seed: trial.seed)
            try trial.insert(keys.shuffled(using: &random).map { Note(slug: $0, body: "of \($0)") })
            try trial.read { snapshot in
                let found = try snapshot.fetch(Note.all).map { Array($0.slug.utf8) }
                try expectEqual(found, keys.map { Array($0.utf8) })
                let reversed = try snapshot.fetch(Note.sorted(by: \.slug, .descending)).map { Array($0.slug.utf8) }
                try expectEqual(reversed, keys.reversed().map { Array($0.utf8) })
                for (position, key) in keys.enumerated() {
                    try expectEqual(try snapshot.find(Note.self, key)?.body, "of \(key)")
                    try expectEqual(try snapshot.count(Note.where { $0.slug < key }), position, "below \(key)")
                    try expectEqual(try snapshot.count(Note.where { $0.slug == key }), 1)
                }
            }
        },
        ConformanceCase(
            "keys.text-canonical", in: .keys, "keys that Swift holds equal but that differ in bytes are two records"
        ) { trial in
            let (short, long) = ("caf\u{E9}", "cafe\u{301}")
            try trial.insert([Note(slug: short, body: "one scalar"), Note(slug: long, body: "two scalars")])
            try expectEqual(try trial.find(Note.self, short)?.body, "one scalar")
            try expectEqual(try trial.find(Note.self, long)?.body, "two scalars")
            try trial.write {
                try $0.update(Note(slug: long, body: "changed"))
                try expect(try $0.delete(Note.self, short), "it was there")
            }
            try expectEqual(try trial.find(Note.self, short), nil)
            try expectEqual(try trial.fetch(Note.all).map(\.body), ["changed"])
        },
        ConformanceCase("keys.text-prefix", in: .keys, "a key that begins another is another key") { trial in
            let keys = (0...40).map { String(repeating: "k", count: $0) }
            try trial.insert(keys.reversed().map { Note(slug: $0, body: "\($0.utf8.count)") })
            try trial.write { transaction in
                for key in keys where key.utf8.count.isMultiple(of: 2) {
                    try expect(try transaction.delete(Note.self, key), "\(key) was there")
                }
            }
            try expectEqual(try trial.fetch(Note.all).map(\.body), (0..<20).map { "\($0 * 2 + 1)" })
        },
        ConformanceCase(
            "keys.text-long", in: .keys, "keys of 10 000 bytes that differ in the last are kept apart"
        ) { trial in
            let stem = String(repeating: "k", count: 9999)
            let ends = ["a", "b", "c", "d"]
            try trial.insert(
                ["c", "a", "d", "b"].map { Note(slug: stem + $0, body: $0) } + [Note(slug: stem, body: "stem")])
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Note.all).map(\.body), ["stem"] + ends)
                try expectEqual(
                    try snapshot.fetch(Note.sorted(by: \.slug, .descending)).map(\.body), ["d", "c", "b", "a", "stem"])
                for end in ends {
                    try expectEqual(try snapshot.find(Note.self, stem + end)?.body, end)
                    try expectEqual(try snapshot.find(Note.self, stem + end)?.slug, stem + end)
                }
                try expectEqual(try snapshot.find(Note.self, stem + "e"), nil)
                try expectEqual(try snapshot.fetch(Note.where { $0.slug > stem + "b" }).map(\.body), ["c", "d"])
                try expectEqual(
                    try snapshot.fetch(Note.where { $0.slug.in([stem + "d", stem + "x", stem + "a"]) }).map(\.body),
                    ["a", "d"])
            }
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Note", attributes: ["slug"]) {
                    try transaction.insert(Note(slug: stem + "b"))
                }
                try transaction.update(Note(slug: stem + "b", body: "changed"))
                try expect(try transaction.delete(Note.self, stem + "c"), "it was there")
                try expect(try !transaction.delete(Note.self, stem + "c"), "it was gone")
            }
            try expectEqual(try trial.fetch(Note.all).map(\.body), ["stem", "a", "changed", "d"])
        },
        ConformanceCase(
            "keys.text-lengths", in: .keys, "text keys of every length around the limits of engines are found"
        ) { trial in
            let lengths = [100, 254, 255, 256, 440, 460, 478, 479, 480, 481, 482, 500, 510, 511, 512, 1022, 1024, 4096]
            func key(_ length: Int, _ end: String) -> String { String(repeating: "x", count: length) + end }
            var notes: [Note] = []
            for length in lengths {
                for end in ["", "\0", "a", "b"] { notes.append(Note(slug: key(length, end), body: "\(length)\(end)")) }
            }
            var random = CaseRandom(seed: trial.seed)
            try trial.insert(notes.shuffled(using: &random))
            let sorted = notes.sorted { Array($0.slug.utf8).lexicographicallyPrecedes(Array($1.slug.utf8)) }
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Note.all).map(\.body), sorted.map(\.body))
                for note in notes { try expectEqual(try snapshot.find(Note.self, note.slug)?.body, note.body) }
            }
        },
    ]
}

private var uuidKeysCases: [ConformanceCase] {
    [
        ConformanceCase("keys.uuid", in: .keys, "UUID keys order by their bytes") { trial in
            let keys = Boundaries.uuid
            try trial.insert(keys.reversed().map { Ticket(id: $0, label: $0.uuidString) })
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Ticket.all).map(\.id), keys)
                for key in keys { try expectEqual(try snapshot.find(Ticket.self, key)?.label, key.uuidString) }
                try expectEqual(try snapshot.fetch(Ticket.where { $0.id > keys[3] }).map(\.id), Array(keys[4...]))
                try expectEqual(try snapshot.find(Ticket.self, UUID()), nil)
            }
            try trial.write { try expect(try $0.delete(Ticket.self, keys[0]), "it was there") }
            try expectEqual(try trial.keys(Ticket.all), Array(keys.dropFirst()))
        },
        ConformanceCase(
            "keys.uuid-time-ordered", in: .keys, "UUIDs made by the library are of version 7 and increase"
        ) { trial in
            let tickets = (0..<3000).map { Ticket(id: .timeOrdered(), label: "\($0)") }
            for ticket in tickets {
                try expectEqual(ticket.id.uuid.6 >> 4, 7, "version")
                try expectEqual(ticket.id.uuid.8 >> 6, 2, "variant")
            }
            var random = CaseRandom(seed: trial.seed)
            try trial.insert(tickets.shuffled(using: &random))
            try expectEqual(try trial.fetch(Ticket.all).map(\.label), tickets.map(\.label))
        },
    ]
}
