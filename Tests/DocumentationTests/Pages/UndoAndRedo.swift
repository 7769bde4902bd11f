import Granary

@MainActor func addAndTakeBack(in stack: Stack) async throws -> [Int] {
    let context = try stack.mainContext
    context.isUndoEnabled = true
    context.undoLevels = 50
    try context.withUndoGroup(named: "Add Artist") {
        let artist = try context.insert(Artist(name: "Björk"))
        try context.insert(Song(title: "Jóga", artist: Ref(artist)))
    }
    print(context.undoName ?? "")  // Add Artist: for the menu

    var counts = [try context.count(Song.all)]
    try context.undo()  // both are gone
    counts.append(try context.count(Song.all))
    try context.redo()  // both are back, with the same keys
    counts.append(try context.count(Song.all))

    try await context.save()
    try context.undo()  // pending: the next save deletes both
    counts.append(try context.count(Song.all))
    try await context.save()
    return counts  // [1, 0, 1, 0]
}
