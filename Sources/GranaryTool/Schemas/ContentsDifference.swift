import GranaryCore

/// Compares the records of two stores in the order of their keys. Of the two cursors, the one with the lesser key moves
/// on, so memory does not grow with the stores.
struct ContentsDifference {
    private let left: Snapshot
    private let right: Snapshot

    init(_ left: Snapshot, _ right: Snapshot) { (self.left, self.right) = (left, right) }

    func compare(_ report: ContentsReport) throws {
        var names = left.schema.entities.map(\.name)
        names += right.schema.entities.map(\.name).filter { !names.contains($0) }
        for name in names {
            guard !report.isClosed else { return }
            try compare(name, report)
        }
    }

    private func compare(_ name: String, _ report: ContentsReport) throws {
        let pair = try RecordPair(left.schema, right.schema, name)
        func cursor(_ snapshot: Snapshot) throws -> RequestCursor<DynamicRecord, DynamicRecord>? {
            guard let entity = snapshot.schema.entities.first(where: { $0.name == name }) else { return nil }
            return try Request(name).sorted(by: [Ordering(attribute: entity.key)]).cursor(in: snapshot)
        }
        let (lefts, rights) = (try cursor(left), try cursor(right))
        let progress = ProgressLine()
        defer { progress.end() }
        var (old, new) = (try lefts?.next(), try rights?.next())
        while !report.isClosed {
            progress.step(name)
            switch (old, new) {
            case (nil, nil): return
            case (let record?, nil):
                try report.only(record, .removed)
                old = try lefts?.next()
            case (nil, let record?):
                try report.only(record, .added)
                new = try rights?.next()
            case (let first?, let second?):
                if first.key < second.key {
                    try report.only(first, .removed)
                    old = try lefts?.next()
                } else if second.key < first.key {
                    try report.only(second, .added)
                    new = try rights?.next()
                } else {
                    try report.pair(first, second, pair?.differences(first, second) ?? [])
                    (old, new) = (try lefts?.next(), try rights?.next())
                }
            }
        }
    }
}

/// Compares records of one entity in two schemas: the values of attributes with the same name. If their types differ,
/// each value is converted to the other type.
private struct RecordPair {
    private struct Column {
        var left: Int
        var right: Int
        /// Conversions from the left type to the right one, and back; both nil if the types are the same.
        var there: ValueConversion?
        var back: ValueConversion?
        var areSameType: Bool
    }

    private let columns: [Column]

    /// Nil if only one of the schemas has the entity.
    ///
    /// - Throws: `schemaMismatch` if the key types differ so that a record cannot be found by the key of the other
    ///   store.
    init?(_ left: Schema, _ right: Schema, _ name: String) throws {
        guard let old = left.entities.first(where: { $0.name == name }),
            let new = right.entities.first(where: { $0.name == name })
        else { return nil }
        let (oldKey, newKey) = (old.attributes[old.keyPosition], new.attributes[new.keyPosition])
        let areOrdered =
            oldKey.type == newKey.type
            || ValueConversion(from: oldKey.type, to: newKey.type)?.keepsCells ?? false
            || ValueConversion(from: newKey.type, to: oldKey.type)?.keepsCells ?? false
        guard areOrdered else {
            throw GranaryError(
                .schemaMismatch,
                "The keys of \(name) are \(oldKey.type) in the first store and \(newKey.type) in the second: its records cannot be compared by key. Migrate a copy of one of them first.",
                entity: name, attributes: [oldKey.name])
        }
        columns = old.attributes.enumerated().compactMap { number, attribute in
            guard let other = new.attributes.firstIndex(where: { $0.name == attribute.name }) else { return nil }
            let (from, to) = (attribute.type, new.attributes[other].type)
            return Column(
                left: number, right: other, there: ValueConversion(from: from, to: to),
                back: ValueConversion(from: to, to: from), areSameType: from == to)
        }
    }

    func differences(_ old: DynamicRecord, _ new: DynamicRecord) -> [ContentsReport.Difference] {
        columns.compactMap { column in
            let (before, after) = (old.values[column.left], new.values[column.right])
            if before == after, column.areSameType || before == .null { return nil }
            if !column.areSameType, areSame(before, after, column) { return nil }
            return ContentsReport.Difference(
                name: old.entity.attributes[column.left].name,
                old: (before, old.entity.attributes[column.left].type),
                new: (after, new.entity.attributes[column.right].type))
        }
    }

    private func areSame(_ old: StoredValue, _ new: StoredValue, _ column: Column) -> Bool {
        if old == .null || new == .null { return false }
        return column.there.flatMap { old.withCell($0.converted) } == new
            || column.back.flatMap { new.withCell($0.converted) } == old
    }
}
