import ConformanceKit
package import GranaryCore

extension ContextProgramRunner {
    /// After each step: what everybody shows, has pending and could undo.
    package func compare() throws {
        var shown = model.board(nil)
        try compare(try stack.blocking.read { try $0.allRows() }, shown.contents, "the store")
        for (number, context) in contexts.enumerated() {
            shown = model.board(number)
            try compare(try context.allRows(), shown.contents, "context \(number)")
            let pending = context.changes.map(\.place)
            if pending != shown.changes.keys.sorted() {
                throw failure("context \(number) has pending \(pending), expected \(shown.changes.keys.sorted())")
            }
            if context.hasChanges != !shown.changes.isEmpty {
                throw failure("context \(number): hasChanges is \(context.hasChanges)")
            }
            let level = model.levels[number]
            if (context.canUndo, context.canRedo) != (!level.undos.isEmpty, !level.redos.isEmpty) {
                throw failure("context \(number): canUndo is \(context.canUndo), canRedo \(context.canRedo)")
            }
        }
    }

    private func compare(_ actual: [[ModelBoard.Row]], _ expected: [[ModelBoard.Row]], _ name: String) throws {
        if actual != expected { throw failure("\(name) shows \(text(actual)), expected \(text(expected))") }
    }

    func compare(_ actual: [CallResult], _ expected: [CallResult]) throws {
        for (number, (actual, expected)) in zip(actual, expected).enumerated() where !expected.allows(actual) {
            throw failure("call \(number): got \(text(actual)), expected \(text(expected))")
        }
    }

    package func compare(
        _ actual: Result<ModelBoard.Merged, any Error>, _ expected: Result<ModelBoard.Merged, ModelBoard.Breach>
    ) throws {
        switch (actual, expected) {
        case (.success(let actual), .success(let expected)):
            if actual.counts != expected.counts || Set(actual.conflicts) != Set(expected.conflicts)
                || actual.conflicts.count != expected.conflicts.count
            {
                throw failure("merged \(actual), expected \(expected)")
            }
        case (.failure(let error as GranaryError), .failure(let breach)) where breach.codes.contains(error.code): break
        case (.failure(let error), .failure(let breach)): throw failure("threw \(error), expected \(breach.codes)")
        case (.failure(let error), .success(let merged)): throw failure("threw \(error), expected \(merged)")
        case (.success(let merged), .failure(let breach)): throw failure("merged \(merged), expected \(breach.codes)")
        }
    }

    package func ask(_ number: Int?, _ question: ContextProgram.Question) throws {
        let evaluator = ReferenceEvaluator(model.board(number).reference)
        let query = question.query
        var asked = ReferenceQuery(
            query.entity, condition: query.condition?.root, order: query.order, limit: query.limit,
            offset: query.offset)
        let actual: [[StoredValue]]
        let expected: [[StoredValue]]
        if let (groups, sum) = question.aggregated {
            asked.groups = groups.map { AnyExpression.attribute($0).root }
            let attribute = AnyExpression.attribute(sum).root
            asked.aggregates = [.init(.count, nil), .init(.sum, attribute), .init(.maximum, attribute)]
            // Without an order of their own, groups come in any.
            expected = try evaluator.aggregates(asked).sorted { "\($0)" < "\($1)" }
            let columns: [AnyExpression] = [
                .aggregate(.count), .aggregate(.sum, of: .attribute(sum)), .aggregate(.maximum, of: .attribute(sum)),
            ]
            let grouping = AnyGrouping(
                by: groups.map { .attribute($0) }, columns: groups.map { .attribute($0) } + columns)
            actual = try answer(number) { try Request(recordsOf: query).grouped(as: grouping).fetch(in: $0) }.sorted {
                "\($0)" < "\($1)"
            }
        } else {
            expected = try evaluator.rows(asked)
            actual = try answer(number) { try $0.fetch(Request(query)) }
            let count = try answer(number) { try $0.count(Request(query)) }
            if count != expected.count { throw failure("counted \(count), expected \(expected.count)") }
        }
        if actual != expected { throw failure("answered \(text([actual])), expected \(text([expected]))") }
    }

    private func answer<T>(_ number: Int?, _ body: (ReadContext) throws -> T) throws -> T {
        guard let number else { return try stack.blocking.read { try body($0) } }
        return try body(contexts[number])
    }

    // MARK: - Printing

    package func text(_ rows: [[ModelBoard.Row]]) -> String {
        zip(ContextProgram.schema.entities, rows).map { entity, rows in
            entity.name + rows.map { "(" + $0.map(\.description).joined(separator: ", ") + ")" }.joined()
        }.joined(separator: " ")
    }

    private func text(_ result: CallResult) -> String {
        result.codes.isEmpty ? "\(result.count)" : result.codes.map(\.rawValue).sorted().joined(separator: " or ")
    }
}

extension ModelBoard.Merged {
    package init(_ result: SaveResult) {
        self.init(inserted: result.inserted, updated: result.updated, deleted: result.deleted)
        conflicts = result.conflicts.map(ModelBoard.Conflict.init)
    }

    package init(conflicts: [MergeConflict]) { self.init(conflicts: conflicts.map(ModelBoard.Conflict.init)) }
    package init(conflicts: [ModelBoard.Conflict]) {
        self.init()
        self.conflicts = conflicts
    }

    fileprivate var counts: [Int] { [inserted, updated, deleted] }
}

extension ModelBoard.Conflict {
    fileprivate init(_ conflict: MergeConflict) {
        let entity = ContextProgram.schema.entities.firstIndex { $0.name == conflict.entity } ?? -1
        self.init(place: ModelBoard.Place(entity: entity, key: conflict.key), kind: conflict.kind)
    }
}
