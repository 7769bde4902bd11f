import GranaryCore
import Rainbow

/// The records of two stores side by side, in the order of their keys: two cursors, of which the one with the lesser key goes
/// on, so that memory does not grow with the stores.
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
        func cursor(_ snapshot: Snapshot) throws -> DynamicRecordCursor? {
            guard let entity = snapshot.schema.entities.first(where: { $0.name == name }) else { return nil }
            return try snapshot.cursor(DynamicQuery(name, order: [Ordering(attribute: entity.key)]))
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
                report.only(record, .removed)
                old = try lefts?.next()
            case (nil, let record?):
                report.only(record, .added)
                new = try rights?.next()
            case (let first?, let second?):
                if first.key < second.key {
                    report.only(first, .removed)
                    old = try lefts?.next()
                } else if second.key < first.key {
                    report.only(second, .added)
                    new = try rights?.next()
                } else {
                    report.pair(first, second)
                    (old, new) = (try lefts?.next(), try rights?.next())
                }
            }
        }
    }
}

/// What differs, printed as it is found.
final class ContentsReport {
    enum Change: String { case removed, added, changed }

    private let output: Output
    private let isJSON: Bool
    private var count = 0

    init(_ output: Output, asJSON isJSON: Bool) {
        (self.output, self.isJSON) = (output, isJSON)
        if isJSON { output.write("[") }
    }

    var isEmpty: Bool { count == 0 }
    var isClosed: Bool { output.isClosed }

    func only(_ record: DynamicRecord, _ change: Change) { write(record, change, []) }

    func pair(_ old: DynamicRecord, _ new: DynamicRecord) {
        // The same schema is the usual case, and values that are all equal are.
        if old.values == new.values, old.entity == new.entity { return }
        var values: [(Attribute, StoredValue, StoredValue)] = []
        for (attribute, value) in zip(old.entity.attributes, old.values) {
            if let other = new[attribute.name], other != value { values.append((attribute, value, other)) }
        }
        if !values.isEmpty { write(old, .changed, values) }
    }

    private func write(_ record: DynamicRecord, _ change: Change, _ values: [(Attribute, StoredValue, StoredValue)]) {
        count += 1
        let type = record.entity.attributes[record.entity.keyPosition].type
        guard isJSON else {
            let key = record.key.text(as: type)?.inOneLine ?? ""
            let (sign, style): (String, (String) -> String) =
                switch change {
                case .removed: ("-", { $0.red })
                case .added: ("+", { $0.green })
                case .changed: ("~", { $0.yellow })
                }
            let changes = values.map { attribute, old, new in
                func text(_ value: StoredValue) -> String { value.text(as: attribute.type)?.inOneLine ?? "nil" }
                return "\(attribute.name): \(text(old)) -> \(text(new))"
            }
            let line = "\(sign) \(record.entity.name) \(key)" + (changes.isEmpty ? "" : "  ")
            return output.line(line.styled(output, style) + changes.joined(separator: ", "))
        }
        var members: [(String, JSONText)] = [
            ("change", .string(change.rawValue)), ("entity", .string(record.entity.name)),
            ("key", record.key.json(as: type)),
        ]
        if !values.isEmpty {
            members.append(
                (
                    "attributes",
                    .object(
                        values.map { attribute, old, new in
                            let both: [JSONText] = [old.json(as: attribute.type), new.json(as: attribute.type)]
                            return (attribute.name, .array(both))
                        })
                ))
        }
        output.write((count == 1 ? "\n  " : ",\n  ") + JSONText.object(members).compact)
    }

    func finish() {
        if isJSON { output.line(isEmpty ? "]" : "\n]") }
    }
}
