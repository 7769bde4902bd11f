import ConformanceKit
import GranaryCore

// Each store is damaged by its subject, in its own way, while it is closed.

var damagedStoreCases: [ConformanceCase] {
    [
        damaged(
            "verify.missing-entry", "a record that an index lacks is a fault, until indexes are made anew",
            .missingEntry, names: Note.entityName, requires: [.indexedQueries], isMended: true),
        damaged(
            "verify.missing-row", "an index entry without its record is a fault, until indexes are made anew",
            .missingRow, names: Note.entityName, requires: [.indexedQueries], isMended: true),
        damaged(
            "verify.dangling-reference", "a reference to a record that does not exist is a fault", .danglingReference,
            names: Box.entityName),
        damaged(
            "verify.equal-unique-values", "two records with equal values of a unique index are a fault",
            .equalUniqueValues, names: Counter.entityName),
        damaged(
            "verify.wrong-checksum", "a row whose checksum is wrong is a fault", .wrongChecksum,
            names: Note.entityName, requires: [.rowChecksums]),
        damaged(
            "verify.key-counter-behind", "a counter of assigned keys that is behind the greatest key is a fault",
            .keyCounterBehind, names: Counter.entityName),
    ]
}

/// - Parameters:
///   - entity: The entity that a fault must name.
///   - isMended: Whether the store has no faults once its indexes have been made anew.
private func damaged(
    _ id: String, _ summary: String, _ damage: StoreDamage, names entity: String, requires: Set<Capability> = [],
    isMended: Bool = false
) -> ConformanceCase {
    ConformanceCase(id, in: .verify, summary, requires: requires.union([.reopening]), modes: [.fresh]) { trial in
        try trial.write { tx in
            try tx.insert(["a", "b", "c"].map { Note(slug: $0, body: "body \($0)", topic: "topic \($0)") })
            try tx.insert((1...3).map { Shelf(id: $0) })
            try tx.insert((1...3).map { Box(id: $0, shelf: Ref($0)) })
            for label in ["a", "b", "c"] { try tx.insert(Counter(label: label)) }
        }
        try expectEqual(try trial.stack.blocking.verify(), [])
        try trial.close()
        try trial.damage(damage)
        let faults = try trial.stack.blocking.verify()
        try expect(faults.contains { $0.contains(entity) }, "no fault names \(entity): \(faults)")
        guard isMended else { return }
        try await trial.stack.rebuildIndexes()
        try expectEqual(try trial.stack.blocking.verify(), [])
    }
}
