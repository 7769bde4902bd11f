import Foundation
import GranaryCore
import GranaryPlatform

/// Prints the differences between the records of two stores as they are found.
final class ContentsReport {
    enum Change: String { case removed, added, changed }

    /// An attribute with different values in two records with the same key.
    struct Difference {
        var name: String
        var old: (value: StoredValue, type: AttributeType)
        var new: (value: StoredValue, type: AttributeType)
    }

    private let output: Output
    private let json: JSONLines?
    private(set) var isEmpty = true

    init(_ output: Output, asJSON isJSON: Bool) {
        self.output = output
        json = isJSON ? JSONLines(output) : nil
    }

    var isClosed: Bool { output.isClosed }

    func only(_ record: DynamicRecord, _ change: Change) throws { try write(record, change, []) }

    func pair(_ old: DynamicRecord, _ new: DynamicRecord, _ differences: [Difference]) throws {
        if !differences.isEmpty { try write(old, .changed, differences) }
    }

    private func write(_ record: DynamicRecord, _ change: Change, _ differences: [Difference]) throws {
        isEmpty = false
        let type = record.entity.attributes[record.entity.keyPosition].type
        guard let json else {
            let key = record.key.text(as: type)?.inOneLine ?? ""
            let (sign, style): (String, Output.Style) =
                switch change {
                case .removed: ("-", .red)
                case .added: ("+", .green)
                case .changed: ("~", .yellow)
                }
            let changes = differences.map { "\($0.name): \($0.text)" }.joined(separator: ", ").inOneLine
            return output.line(
                "\(sign) \(record.entity.path) \(key)" + (changes.isEmpty ? "" : "  "), style, changes)
        }
        var members: [(String, JSONText)] = [
            ("change", .string(change.rawValue)), ("entity", .string(record.entity.name)),
            ("key", record.key.json(as: type)),
        ]
        if !differences.isEmpty {
            let values = differences.map { difference -> (String, JSONText) in
                let (old, new) = (difference.old, difference.new)
                return (difference.name, .array([old.value.json(as: old.type), new.value.json(as: new.type)]))
            }
            members.append(("attributes", .object(values)))
        }
        try json.add(.object(members))
    }

    func finish() { json?.finish() }
}

extension ContentsReport.Difference {
    /// How many characters of a long value are shown, and how many of them before the first difference.
    private static let (shown, before) = (40, 10)

    /// Both values; for long ones the part around the first difference.
    var text: String {
        if case (.bytes(let old), .bytes(let new)) = (old.value, new.value), self.old.type == .data {
            let same = zip(old, new).prefix { $0 == $1 }.count
            return "\(old.count) bytes -> \(new.count) bytes, the same up to byte \(same)"
        }
        let (old, new) = (old.value.text(as: old.type) ?? "nil", new.value.text(as: new.type) ?? "nil")
        let start = max(0, zip(old, new).prefix { $0 == $1 }.count - Self.before)
        func part(_ text: String) -> String {
            guard text.count > Self.shown else { return text }
            let rest = text.dropFirst(start)
            return (start > 0 ? "…" : "") + rest.prefix(Self.shown) + (rest.count > Self.shown ? "…" : "")
        }
        return "\(part(old)) -> \(part(new))"
    }
}
