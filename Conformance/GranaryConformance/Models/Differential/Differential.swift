package import ConformanceKit
import GranaryCore

/// Random queries put to a store and to the reference at once; where the answers differ, the query is made smaller for as
/// long as they do, and then the data.
package struct Differential {
    package let subject: ConformanceSubject
    package let folder: String
    /// Stores opened so far, each at a path of its own.
    private var stores = 0
    /// The changes that are pending over the store. Nil: the store itself is asked.
    private var changes: [ShopData.Change]?

    package init(_ trial: Trial) {
        subject = trial.subject
        folder = trial.folder
    }

    /// Asks queries of the music shop with random contents, with indexes and without.
    ///
    /// - Parameter changeCount: How many random changes are pending; nil asks the store itself.
    package mutating func run(seed: UInt64, queries: Int, pending changeCount: Int? = nil) throws {
        for schema in [SuiteSchema.shop, SuiteSchema.indexedShop] {
            let state = try ShopData.random(seed: seed, schema)
            changes = try changeCount.map { try ShopData.changes(seed: seed &+ 1, count: $0, schema) }
            let failing = try open(schema, state) { reader, state -> (Int, [Int], Schema)? in
                for number in 0..<queries {
                    var choices = Choices(seed: seed &* 1_000_003 &+ UInt64(number))
                    let made = QueryMaker.query(&choices)
                    if Differential.difference(made, reader, schema, ReferenceEvaluator(state)) == nil { continue }
                    return (number, choices.taken, schema)
                }
                return nil
            }
            guard let (number, choices, schema) = failing else { continue }
            throw try report(choices, state, schema, "query \(number) of seed \(seed)")
        }
    }

    /// Opens a store with these contents and one reader on it, or on the changes over it.
    ///
    /// - Parameter body: Gets the reader and what it must show.
    private mutating func open<T>(
        _ schema: Schema, _ state: ReferenceState, _ body: (any StoreReader, ReferenceState) throws -> T
    ) throws -> T {
        stores += 1
        let path = "\(folder)/Shop-\(stores).granary"
        let store = try subject.provider(path, .readWrite).open(schema, migration: .automatic)
        defer { if kindOfFile(path) != nil { try? removeFile(path) } }
        defer { try? store.close() }
        let writer = try store.beginWrite()
        do {
            try writer.beginSavepoint()
            try writer.deferReferences()
            for (entity, table) in state.tables.enumerated() {
                for key in table.keys.sorted() {
                    if let row = table[key] { _ = try row.asCells { row in try writer.insert(row, into: entity) } }
                }
            }
            try writer.checkReferences()
            try writer.releaseSavepoint()
            try writer.commit()
        } catch {
            writer.end()
            throw error
        }
        guard let changes else {
            let reader = try store.beginRead(CancellationFlag())
            defer { reader.end() }
            return try body(reader, state)
        }
        let overlay = Overlay(schema, store.coordinator) { try store.beginRead(CancellationFlag()) }
        defer { overlay.end() }
        return try body(overlay, try Differential.make(changes, of: state, in: overlay))
    }

    /// Makes the changes that the rules allow, and gives what the reference has then.
    private static func make(
        _ changes: [ShopData.Change], of state: ReferenceState, in overlay: Overlay
    ) throws -> ReferenceState {
        var state = state
        for change in changes {
            let isThere = state.row(change.key, in: change.entity) != nil
            do {
                switch change.row {
                case let row? where isThere: _ = try state.update(row, in: change.entity)
                case let row?: _ = try state.insert(row, into: change.entity)
                case nil: try state.delete([change.key], from: change.entity)
                }
            } catch {
                continue
            }
            guard let row = change.row else {
                _ = try change.key.withCell { try overlay.delete($0, from: change.entity) }
                continue
            }
            try row.asCells { row in
                if isThere {
                    _ = try overlay.update(row, in: change.entity)
                } else {
                    _ = try overlay.insert(row, into: change.entity)
                }
            }
        }
        return state
    }

    // MARK: - Comparing

    /// How the answers differ, or nil.
    private static func difference(
        _ made: MadeQuery, _ reader: any StoreReader, _ schema: Schema, _ reference: ReferenceEvaluator
    ) -> String? {
        let expected = Result { try made.answer(reference) }
        let actual = Result { try made.answer(reader, schema) }
        if let difference = difference(expected, actual, made, reader, schema) { return difference }
        return writtenDifference(expected, made, reader, schema)
    }

    /// How the query with its condition written as text and read again is answered differently, or nil.
    private static func writtenDifference(
        _ expected: Result<[[StoredValue]], any Error>, _ made: MadeQuery, _ reader: any StoreReader, _ schema: Schema
    ) -> String? {
        guard let condition = made.condition else { return nil }
        let text = condition.predicateText
        do {
            let read = try AnyCondition(parsing: text)
            // The same condition has the same answer.
            guard read != condition else { return nil }
            let written = MadeQuery(made.query, read)
            let actual = Result { try written.answer(reader, schema) }
            return difference(expected, actual, written, reader, schema).map { "as the text \(text) \($0)" }
        } catch {
            return "its text \(text) is not read: \(error)"
        }
    }

    private static func difference(
        _ expected: Result<[[StoredValue]], any Error>, _ actual: Result<[[StoredValue]], any Error>,
        _ made: MadeQuery, _ reader: any StoreReader, _ schema: Schema
    ) -> String? {
        switch (expected, actual) {
        case (.success(let expected), .success(let actual)):
            if expected != actual { return "got \(text(actual))\nexpected \(text(expected))" }
            guard made.query.aggregates.isEmpty else { return nil }
            do {
                let count = try reader.count(try made.request(schema))
                return count == expected.count ? nil : "counted \(count), expected \(expected.count)"
            } catch {
                return "counting threw \(error)"
            }
        case (.success(let expected), .failure(let error)):
            return "threw \(error)\nexpected \(text(expected))"
        case (.failure(let error), .success(let actual)):
            return "got \(text(actual))\nexpected the error \(error)"
        case (.failure(let expected), .failure(let actual)):
            let (expected, actual) = (expected as? GranaryError, actual as? GranaryError)
            return expected?.code == actual?.code && expected != nil
                ? nil : "threw \(String(describing: actual)), expected \(String(describing: expected))"
        }
    }

    private static func text(_ rows: [[StoredValue]]) -> String {
        "\(rows.count) rows: "
            + rows.prefix(30).map { "(" + $0.map(\.description).joined(separator: ", ") + ")" }.joined(separator: " ")
    }

    // MARK: - Shrinking

    private mutating func report(_ choices: [Int], _ state: ReferenceState, _ schema: Schema, _ name: String) throws
        -> ConformanceFailure
    {
        let smallest = try open(schema, state) { reader, state in
            let reference = ReferenceEvaluator(state)
            return Choices.shrunk(choices, runs: 1500) { candidate in
                var choices = Choices(candidate)
                return Differential.difference(QueryMaker.query(&choices), reader, schema, reference) != nil
            }
        }
        var source = Choices(smallest)
        let made = QueryMaker.query(&source)
        let (state, difference) = try shrunk(state, made, schema)
        let rows = zip(schema.entities, state.tables).flatMap { entity, table in
            table.keys.sorted().compactMap { key in
                table[key].map { "\(entity.name)(\($0.map(\.description).joined(separator: ", ")))" }
            }
        }
        let kind = schema == SuiteSchema.shop ? "without indexes" : "with indexes"
        let pending = changes.map { "\nwith these changes pending, where the rules allow them: \($0)" } ?? ""
        return ConformanceFailure(
            message: """
                \(name) \(kind), made smaller:
                \(made)
                \(difference)
                of these records:
                \(rows.joined(separator: "\n"))\(pending)
                """, file: #fileID, line: #line)
    }

    /// Rows are left out, with what refers to them, for as long as the answers differ.
    private mutating func shrunk(_ state: ReferenceState, _ made: MadeQuery, _ schema: Schema) throws -> (
        ReferenceState, String
    ) {
        func fails(_ state: ReferenceState) throws -> String? {
            try open(schema, state) { reader, state in
                Differential.difference(made, reader, schema, ReferenceEvaluator(state))
            }
        }
        var best = state
        var difference = try fails(state) ?? "which it did not do a second time"
        for entity in schema.entities.indices.reversed() {
            for key in best.tables[entity].keys.sorted() where best.row(key, in: entity) != nil {
                var candidate = best
                do {
                    try candidate.delete([key], from: entity)
                } catch {
                    continue
                }
                if let again = try fails(candidate) { (best, difference) = (candidate, again) }
            }
        }
        return (best, difference)
    }
}

extension [StoredValue] {
    /// Lends them as a row.
    fileprivate func asCells<T>(_ body: (borrowing Row) throws -> T) throws -> T {
        var cells = RowWriter(count: count)
        for (position, value) in enumerated() { try value.encode(into: &cells, at: position) }
        return try cells.withRow { row in try body(row) }
    }
}
