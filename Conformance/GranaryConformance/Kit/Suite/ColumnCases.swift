import Foundation
package import GranaryCore

/// A case for each type of attribute, over a column with the values at that type's edges.
package func casesForEachType(
    _ area: ConformanceCase.Area, _ what: String, _ summary: String, _ check: any ColumnCheck
) -> [ConformanceCase] {
    func column<Value: AttributeValue>(
        _ type: String, _ path: any WritableKeyPath<Sample, Value?> & Sendable,
        _ field: any KeyPath<Sample.Fields, Field<Sample, Value?>> & Sendable, _ values: [Value]
    ) -> ConformanceCase {
        ConformanceCase("\(area).\(what)-\(type)", in: area, "\(summary), for type \(type)") { trial in
            let column = RankedColumn(path, field, ascending: values, seed: trial.seed)
            try trial.insertTwins(column.samples)
            try trial.read { try check.check(column, $0) }
        }
    }
    return [
        column("bool", \.flag, \.flag, Boundaries.bool),
        column("int8", \.int8, \.int8, Boundaries.integer(Int8.self)),
        column("int16", \.int16, \.int16, Boundaries.integer(Int16.self)),
        column("int32", \.int32, \.int32, Boundaries.integer(Int32.self)),
        column("int64", \.integer, \.integer, Boundaries.int64),
        column("uint8", \.uint8, \.uint8, Boundaries.unsigned(UInt8.self)),
        column("uint16", \.uint16, \.uint16, Boundaries.unsigned(UInt16.self)),
        column("uint32", \.uint32, \.uint32, Boundaries.unsigned(UInt32.self)),
        column("uint64", \.uint64, \.uint64, Boundaries.uint64),
        column("float", \.float, \.float, Boundaries.float),
        column("double", \.double, \.double, Boundaries.double),
        column("decimal", \.decimal, \.decimal, Boundaries.decimal),
        column("text", \.text, \.text, Boundaries.text),
        column("data", \.data, \.data, Boundaries.bytes.map { Data($0) }),
        column("bytes", \.bytes, \.bytes, Boundaries.bytes),
        column("date", \.date, \.date, Boundaries.date),
        column("uuid", \.uuid, \.uuid, Boundaries.uuid),
        column("url", \.url, \.url, Boundaries.url),
        column("enum", \.mood, \.mood, Boundaries.mood),
        column("json", \.json, \.json, Boundaries.json),
    ]
}

/// What is asked of a column, whatever its type.
package protocol ColumnCheck: Sendable {
    func check<Value: AttributeValue>(_ column: RankedColumn<Value>, _ snapshot: Snapshot) throws
}

package struct PredicateCheck: ColumnCheck {
    package init() {}

    package func check<Value: AttributeValue>(_ column: RankedColumn<Value>, _ snapshot: Snapshot) throws {
        try column.checkPredicates(snapshot)
    }
}

package struct OrderCheck: ColumnCheck {
    package init() {}

    package func check<Value: AttributeValue>(_ column: RankedColumn<Value>, _ snapshot: Snapshot) throws {
        try column.checkOrder(snapshot)
    }
}
