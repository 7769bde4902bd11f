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

/// Renames a label. It begins again if another task has changed the label meanwhile.
func renameLabel(_ key: Label.Key, to name: String, in stack: Stack) async throws -> Label {
    try await retryingConflicts {
        try await stack.perform(named: "rename") { context in
            try context.update(Label.self, key) { $0.name = name }
        }
    }
}

/// The status of HTTP with which a server answers an error.
func httpStatus(of error: GranaryError) -> Int {
    switch error.code {
    case .recordNotFound: 404
    case .uniqueness, .deniedDeletion, .mergeConflict: 409
    case .required, .range, .danglingReference, .invalidRecord, .invalidInput: 422
    case .full: 507
    case .cancelled: 504
    default: error.isRetryable ? 503 : error.isCallersMistake ? 400 : 500
    }
}
