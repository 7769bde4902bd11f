package import GranaryCore

// What many cases begin with, statements of every kind that change it, and the check that nothing has.

/// Three shelves, two people, a box.
package func seedShelves(_ trial: Trial) throws {
    try trial.write { tx in
        try tx.insert(seededShelves)
        try tx.insert(Person(id: 1, email: "one", country: "x", number: 1))
        try tx.insert(Person(id: 2, email: nil, country: "x", number: 2))
        try tx.insert(Box(id: 1, shelf: Ref(1), spare: Ref(2), owner: Ref(1)))
    }
}

private let seededShelves = [Shelf(id: 1, name: "a"), Shelf(id: 2, name: "b"), Shelf(id: 3, name: "c")]

/// Fails unless all is as ``seedShelves(_:)`` made it, indexes included.
package func expectUnchanged(_ trial: Trial, _ what: String = "", file: String = #fileID, line: Int = #line) throws {
    try trial.read { try expectUnchanged($0, what, file: file, line: line) }
}

package func expectUnchanged(
    _ context: ReadContext, _ what: String = "", file: String = #fileID, line: Int = #line
) throws {
    try expectEqual(try context.fetch(Shelf.all), seededShelves, what, file: file, line: line)
    try expectEqual(
        try context.fetch(Person.all),
        [
            Person(id: 1, email: "one", country: "x", number: 1),
            Person(id: 2, email: nil, country: "x", number: 2),
        ], what, file: file, line: line)
    try expectEqual(
        try context.fetch(Box.all), [Box(id: 1, shelf: Ref(1), spare: Ref(2), owner: Ref(1))], what, file: file,
        line: line)
    try expectEqual(
        try context.fetch(Person.where { $0.email == "one" }).map(\.id), [1], what, file: file, line: line)
    try expectEqual(try context.count(Person.where { $0.country == "x" }), 2, what, file: file, line: line)
    try expectEqual(try context.count(Box.where { $0.spare == Ref(2) }), 1, what, file: file, line: line)
}

/// One statement of each kind. Each succeeds after those before it.
package let mixedProgram: [@Sendable (Transaction) throws -> Void] = [
    { try $0.insert(Shelf(id: 10, name: "new")) },
    { try $0.update(Shelf(id: 1, name: "changed")) },
    { try $0.upsert(Shelf(id: 11, name: "new")) },
    { try $0.upsert(Person(id: 1, email: "other", country: "y", number: 1)) },
    { _ = try $0.delete(Shelf.self, 2) },
    { try $0.insert([Person(id: 3, email: "one"), Person(id: 4, country: "z")]) },
    { _ = try Person.all.updateAll(in: $0) { $0.set(\.age, to: 5) } },
    { _ = try $0.delete(Person.self, 1) },
    { _ = try Shelf.where { $0.id != 1 }.deleteAll(in: $0) },
    { try $0.savepoint { _ = 1 } },
    { tx in _ = try? tx.insert(Shelf(id: 1)) },
    { _ = try Person.deleteAll(in: $0) },
    { _ = try Shelf.deleteAll(in: $0) },
]

package func changeEverything(_ tx: Transaction) throws {
    for statement in mixedProgram { try statement(tx) }
}
