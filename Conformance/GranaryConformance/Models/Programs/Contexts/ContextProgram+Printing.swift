import ConformanceKit
import GranaryCore

extension ContextProgram {
    /// The program as Swift, but for the contexts: `contexts[2]` is a child of `contexts[0]`, `contexts[3]` of that.
    package var text: String { steps.map(\.text).joined(separator: "\n") }
}

extension ContextProgram.Step {
    package var text: String {
        switch self {
        case .direct(let writes): block("stack.blocking.write { tx in", writes, "tx")
        case .calls(let number, let writes):
            writes.map { "try? \($0.text("contexts[\(number)]"))" }.joined(separator: "\n")
        case .savepoint(let number, let writes, let isKept):
            block("contexts[\(number)].savepoint {", writes, "contexts[\(number)]", isKept ? nil : "throw Undone()")
        case .group(let number, let writes):
            block("contexts[\(number)].withUndoGroup {", writes, "contexts[\(number)]")
        case .undo(let number): "try? contexts[\(number)].undo()"
        case .redo(let number): "try? contexts[\(number)].redo()"
        case .refresh(let number, let policy): "try? contexts[\(number)].refresh(mergePolicy: .\(policy))"
        case .rollback(let number): "contexts[\(number)].rollback()"
        case .rollbackRecord(let number, let entity, let key):
            "try contexts[\(number)].rollback(\(ContextProgram.name(entity)).self, \(key))"
        case .saveToParent(let number, let policy): "try? contexts[\(number)].saveToParent()  // .\(policy)"
        case .save(let number, let policy): "try? contexts[\(number)].save()  // .\(policy)"
        case .saveDuring(let number, let policy, let transaction, let calls):
            block(
                "stack.blocking.write { tx in  // under way while contexts[\(number)] is saved with .\(policy)",
                transaction,
                "tx")
                + "\n" + block("// before that has ended", calls, "contexts[\(number)]")
        case .worker(let number, let policy, let writes):
            block("await contexts[\(number)].performInWorker { worker in  // .\(policy)", writes, "worker")
        case .ask(let number, let question):
            (number.map { "contexts[\($0)]" } ?? "snapshot") + ".\(question.text)"
        case .hold: "// begin, or end, a read of the store"
        }
    }

    private func block(
        _ head: String, _ writes: [ContextProgram.Write], _ context: String, _ last: String? = nil
    ) -> String {
        let lines = writes.map { "try? \($0.text(context))" } + (last.map { [$0] } ?? [])
        return ([head] + lines.map { "    " + $0 } + ["}"]).joined(separator: "\n")
    }
}

extension ContextProgram.Question {
    fileprivate var text: String {
        guard let aggregated else { return "fetch(\(query.words))" }
        return "groups(\(query.words), by: \(aggregated.groups), sum: \(aggregated.sum))"
    }
}

extension ContextProgram.Write {
    fileprivate func text(_ context: String) -> String {
        switch self {
        case .insert(let entity, let row): "\(context).insert(\(record(entity, row)))"
        case .update(let entity, let row): "\(context).update(\(record(entity, row)))"
        case .upsert(let entity, let row): "\(context).upsert(\(record(entity, row)))"
        case .change(let entity, let key, let values):
            "\(context).change(\(ContextProgram.name(entity)), \(key), \(assigned(entity, values)))"
        case .delete(let entity, let key): "\(context).delete(\(ContextProgram.name(entity)).self, \(key))"
        case .updateAll(let query, let values):
            "\(query.words).updateAll(setting: \(assigned(query.position, values)), in: \(context))"
        case .deleteAll(let query): "\(query.words).deleteAll(in: \(context))"
        }
    }

    private func record(_ entity: Int, _ row: [StoredValue]) -> String {
        let values = zip(ContextProgram.schema.entities[entity].attributes, row).compactMap { attribute, value in
            value == .null ? nil : "\(attribute.name): \(value)"
        }
        return "\(ContextProgram.name(entity))(\(values.joined(separator: ", ")))"
    }

    private func assigned(_ entity: Int, _ values: [Assignment]) -> String {
        let attributes = ContextProgram.schema.entities[entity].attributes
        return values.map { value in
            "\(attributes[value.position].name): \(value.operation == .add ? "+" : "")\(value.value)"
        }.joined(separator: ", ")
    }
}

extension ContextProgram {
    fileprivate static func name(_ entity: Int) -> String { schema.entities[entity].name }
}

extension AnyRequest {
    fileprivate var position: Int { ContextProgram.schema.entities.firstIndex { $0.name == entity } ?? 0 }

    fileprivate var words: String {
        var text = entity + (condition.map { ".where(\($0))" } ?? ".all")
        for term in order { text += ".sorted(\(term.direction == .descending ? "-" : "")\(term.expression.text))" }
        if let limit { text += ".limit(\(limit))" }
        if offset > 0 { text += ".offset(\(offset))" }
        return text
    }
}
