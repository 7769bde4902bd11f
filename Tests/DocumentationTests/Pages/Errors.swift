import Granary

/// Adds a label, and says in words for the user what became of it.
func addLabel(_ name: String, to stack: Stack) async throws -> String {
    do {
        let label = try await stack.write { try $0.insert(Label(name: name)) }
        return "\(label.name) is label number \(label.id)."
    } catch let error as GranaryError where error.code == .uniqueness {
        return "Another label has the same \(error.attributes.joined(separator: ", "))."
    }
}

extension GranaryError {
    /// Whether the same work, begun again a little later, may succeed.
    var isWorthAnotherTry: Bool { [.busy, .mergeConflict].contains(code) }
}

/// Renames a label. It begins again if another task has changed the label meanwhile.
func renameLabel(_ key: Label.Key, to name: String, in stack: Stack) async throws -> Label {
    try await retryingConflicts {
        try await stack.perform(named: "rename") { context in
            try context.update(Label.self, key) { $0.name = name }
        }
    }
}
