import GranaryCore

// What rewrites no record takes as long for many records as for a few.

let migrationSizeCases: [ConformanceCase] = [
    ConformanceCase(
        "migration.instant-at-any-size", in: .migration,
        "an attribute, a name and a dropped index cost the same for 1 000 records and for 1 000 000",
        requires: [.migration, .persistence], isHeavy: true, modes: [.fresh]
    ) { trial in
        let few = try timeOfChanges(trial, records: 1_000)
        let many = try timeOfChanges(trial, records: 1_000_000)
        try expect(many < few * 5 + .milliseconds(20), "\(few) for 1 000 records, \(many) for 1 000 000")
    }
]

/// The time of the fastest of three changes, beyond that of opening and closing, which a store may use to check its files.
private func timeOfChanges(_ trial: Trial, records count: Int) throws -> Duration {
    var item = Entity(
        "Item", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("rank", Int.self)],
        indexes: [.index("rank")])
    let path = trial.folder + "/Sized-\(count).granary"
    let stack = try trial.subject.open(Schema(entities: [item]), at: path)
    let batch = 10_000
    for start in stride(from: 0, to: count, by: batch) {
        try stack.writeNow { tx in
            for number in start..<min(start + batch, count) {
                try tx.insert(
                    made("Item", in: tx.schema, ["name": .string("item \(number)"), "rank": .integer(Int64(number))]))
            }
        }
    }
    try stack.closeNow()
    func time(_ schema: Schema) throws -> Duration {
        try ContinuousClock().measure { try trial.subject.open(schema, at: path).closeNow() }
    }
    item.attributes.append(Attribute("note", String?.self))
    let added = try time(Schema(entities: [item]))
    item.attributes[1] = Attribute("title", String.self).renamed(from: "name")
    let renamed = try time(Schema(entities: [item]))
    item.indexes = []
    let dropped = try time(Schema(entities: [item]))
    let opened = try min(time(Schema(entities: [item])), time(Schema(entities: [item])))
    return max(.zero, min(added, renamed, dropped) - opened)
}
