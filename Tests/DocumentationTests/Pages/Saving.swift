import Granary

/// Blocks: for command-line tools and other code that is not async.
func addNow(_ name: String, to stack: Stack) throws -> SaveResult {
    let context = try stack.makeContext(named: "tool")
    try context.insert(Artist(name: name))
    return try context.blocking.save()
}

/// Waits: the actor, here the main actor, does other work while the disk works.
@MainActor func add(_ name: String, to stack: Stack) async throws -> SaveResult {
    let context = try stack.mainContext
    try context.insert(Artist(name: name))
    return try await context.save()
}

/// Calls back on the main actor: for a button's action.
@MainActor func add(_ name: String, to stack: Stack, then show: @escaping (String) -> Void) throws {
    let context = try stack.mainContext
    try context.insert(Artist(name: name))
    context.save { result in
        switch result {
        case .success(let saved): show("\(saved.inserted) added")
        case .failure(let error): show("\(error)")
        }
    }
}
