import ConformanceKit
import Foundation
import GranaryCore

var typesCases: [ConformanceCase] {
    storedTypesCases + numberTypesCases + textTypesCases + structuredTypesCases
}

/// For each type: every value at its edges, and nil, comes back.
private var storedTypesCases: [ConformanceCase] {
    [
        stored("bool", \.flag, \.flag, Boundaries.bool),
        stored("int8", \.int8, \.int8, Boundaries.integer(Int8.self)),
        stored("int16", \.int16, \.int16, Boundaries.integer(Int16.self)),
        stored("int32", \.int32, \.int32, Boundaries.integer(Int32.self)),
        stored("int64", \.integer, \.integer, Boundaries.int64),
        stored("uint8", \.uint8, \.uint8, Boundaries.unsigned(UInt8.self)),
        stored("uint16", \.uint16, \.uint16, Boundaries.unsigned(UInt16.self)),
        stored("uint32", \.uint32, \.uint32, Boundaries.unsigned(UInt32.self)),
        stored("uint64", \.uint64, \.uint64, Boundaries.uint64),
        stored("float", \.float, \.float, Boundaries.float),
        stored("double", \.double, \.double, Boundaries.double),
        stored("decimal", \.decimal, \.decimal, Boundaries.decimal),
        stored("text", \.text, \.text, Boundaries.text),
        stored("data", \.data, \.data, Boundaries.bytes.map { Data($0) }),
        stored("bytes", \.bytes, \.bytes, Boundaries.bytes),
        stored("date", \.date, \.date, Boundaries.date),
        stored("uuid", \.uuid, \.uuid, Boundaries.uuid),
        stored("url", \.url, \.url, Boundaries.url),
        stored("enum", \.mood, \.mood, Boundaries.mood),
        stored("json", \.json, \.json, Boundaries.json),
    ]
}

/// Stored by an insert, by an update and by `updateAll`, read by key, by query, by cursor and by name, and found as the constant
/// of a query that nothing else matches.
private func stored<Value: AttributeValue & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Sample, Value?> & Sendable,
    _ field: any KeyPath<Sample.Fields, Field<Sample, Value?>> & Sendable, _ values: [Value]
) -> ConformanceCase {
    ConformanceCase("types.\(name)", in: .types, "values of type \(name) at its edges, and nil, come back exactly") {
        trial in
        let wanted: [Value?] = values + [nil]
        let samples = wanted.enumerated().map { position, value in
            var sample = Sample(id: Int64(position))
            sample[keyPath: path] = value
            return sample
        }
        try trial.insertTwins(samples)
        try trial.read { snapshot in
            var seen: [[Sample]] = [try samples.compactMap { try snapshot.find(Sample.self, $0.id) }]
            seen.append(try snapshot.fetch(Sample.all))
            seen.append(try snapshot.fetch(IndexedSample.all).map(\.sample))
            var streamed: [Sample] = []
            try Sample.all.forEach(in: snapshot) { streamed.append($0) }
            seen.append(streamed)
            for samples in seen { try expectSame(samples.map { $0[keyPath: path] }, wanted) }
            let field = Sample.fields[keyPath: field]
            let named = try snapshot.fetch(Request("Sample")).map { $0[field.attributePath] }
            try expectSame(try named.map { try $0?.value(as: Value?.self) ?? nil }, wanted)
            for (position, value) in wanted.enumerated() {
                try snapshot.expectTwins(Sample.all.where(field == value), [Int64(position)])
                try snapshot.expectTwins(Sample.all.where(field.in([value])), [Int64(position)])
            }
        }
        // Moved on by one, each by a statement of its own kind.
        let moved = Array(wanted.dropFirst()) + [wanted[0]]
        try trial.write { transaction in
            for (position, value) in moved.enumerated() {
                var sample = samples[position]
                sample[keyPath: path] = value
                try transaction.update(sample)
                try IndexedSample.where { $0.id == Int64(position) }.updateAll(in: transaction) {
                    $0.set(\.[dynamicMember: field], to: value)
                }
            }
        }
        try trial.read { snapshot in
            try expectSame(try snapshot.fetch(Sample.all).map { $0[keyPath: path] }, moved)
            let field = Sample.fields[keyPath: field]
            for (position, value) in moved.enumerated() {
                try snapshot.expectTwins(Sample.all.where(field == value), [Int64(position)])
            }
        }
    }
}

/// Equal as values and in the form in which they are stored, to the bit.
private func expectSame<Value: AttributeValue & Equatable>(
    _ actual: [Value?], _ expected: [Value?], file: String = #fileID, line: Int = #line
) throws {
    try expectEqual(actual, expected, file: file, line: line)
    for (actual, expected) in zip(actual, expected) {
        let stored = [try StoredValue(encoding: actual), try StoredValue(encoding: expected)]
        try expectEqual(stored[0], stored[1], file: file, line: line)
        let bits = stored.map { if case .real(let value) = $0 { value.bitPattern } else { UInt64(0) } }
        try expectEqual(bits[0], bits[1], "bits", file: file, line: line)
    }
}
