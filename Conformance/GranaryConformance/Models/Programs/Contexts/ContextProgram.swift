import ConformanceKit
package import GranaryCore

/// A list of steps over one store, several contexts on it and transactions of its own, run on a stack and on a model at
/// once.
///
/// Every list of steps is a program, so any step can be left out when shrinking.
package struct ContextProgram: Sendable {
    package var steps: [Step]

    /// The contexts, by number: which one each is a child of; nil if it is over the store.
    package static let parents: [Int?] = [nil, nil, 0, 2]

    /// Whether a context is another one, or a child of it, or a child of such a child.
    package static func isOver(_ number: Int, _ other: Int) -> Bool {
        number == other || parents[number].map { isOver($0, other) } ?? false
    }

    package enum Step: Sendable {
        /// One transaction of the store.
        case direct([Write])
        /// Calls of a context, one after the other.
        case calls(Int, [Write])
        /// Calls of a context in a savepoint, which throws at its end or not.
        case savepoint(Int, [Write], isKept: Bool)
        /// Calls of a context that are undone together.
        case group(Int, [Write])
        case undo(Int)
        case redo(Int)
        case refresh(Int, Policy)
        case rollback(Int)
        case rollbackRecord(Int, entity: Int, key: StoredValue)
        case saveToParent(Int, Policy)
        case save(Int, Policy)
        /// A save that waits for a transaction; the context is changed meanwhile.
        case saveDuring(Int, Policy, transaction: [Write], calls: [Write])
        /// Work in the background over what the context shows, merged into it.
        case worker(Int, Policy, [Write])
        /// Asks a context, or the store.
        case ask(Int?, Question)
        /// Begins a read of the store, or ends the one that is open.
        case hold
    }

    package enum Write: Sendable {
        case insert(Int, [StoredValue])
        case update(Int, [StoredValue])
        case upsert(Int, [StoredValue])
        /// Sets attributes of the record with a key, if there is one.
        case change(Int, StoredValue, [Assignment])
        case delete(Int, StoredValue)
        case updateAll(AnyRequest, [Assignment])
        case deleteAll(AnyRequest)
    }

    package struct Question: Sendable {
        package var query: AnyRequest
        /// What is counted and added up by this attribute, or by nothing; nil for the records themselves.
        package var aggregated: (groups: [String], sum: String)?
    }

    package enum Policy: String, Sendable, CaseIterable {
        case error, storeWins, contextWins, overwrite, rollBack

        package var policy: MergePolicy {
            switch self {
            case .error: .error
            case .storeWins: .storeWins
            case .contextWins: .contextWins
            case .overwrite: .overwrite
            case .rollBack: .rollBack
            }
        }
    }

    // Each delete rule, references of a record to its own kind and in a circle, and unique values among references.
    package static let schema = Schema(entities: [
        Entity(
            "Shelf", key: "id",
            attributes: [
                Attribute("id", Int64.self), Attribute("name", String.self),
                reference("keeper", to: "Item", .deny),
            ], indexes: [.index("name")]),
        Entity(
            "Owner", key: "id",
            attributes: [
                Attribute("id", Int64.self), Attribute("name", String.self), Attribute("email", String?.self),
                Attribute("rank", Int.self),
            ], indexes: [.unique("email"), .index("rank")]),
        Entity(
            "Item", key: "id",
            attributes: [
                Attribute("id", Int64.self),
                Attribute("home", .int64, reference: Attribute.Reference(entity: "Shelf", onDelete: .deny)),
                Attribute("slot", Int.self), reference("spare", to: "Shelf", .nullify),
                reference("owner", to: "Owner", .cascade), reference("outer", to: "Item", .cascade),
                reference("next", to: "Item", .deny), Attribute("code", String?.self), Attribute("rank", Int?.self),
            ], indexes: [.unique("home", "slot"), .unique("code"), .index("rank")]),
    ])

    private static func reference(_ name: String, to entity: String, _ rule: DeleteRule) -> Attribute {
        Attribute(name, .int64, isOptional: true, reference: Attribute.Reference(entity: entity, onDelete: rule))
    }
}

/// Where a stack and the model part.
package struct ContextProgramFailure: Error {
    /// The number of steps that had been begun.
    package var steps: Int
    package var message: String

    package init(steps: Int, message: String) {
        self.steps = steps
        self.message = message
    }
}
