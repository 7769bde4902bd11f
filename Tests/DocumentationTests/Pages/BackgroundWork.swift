import Granary

/// Adds the artists that are not there, and says how many that were.
func importArtists(_ names: [String], into stack: Stack) async throws -> Int {
    try await stack.perform(named: "import") { context in
        var made = 0
        for name in names {
            if try Artist.where({ $0.name == name }).exists(in: context) { continue }
            try context.insert(Artist(name: name))
            made += 1
        }
        return made
    }
}

@MainActor func importTwice(into stack: Stack) async throws -> (made: Int, shown: [String]) {
    async let one = importArtists(["Nina Simone", "Prince"], into: stack)
    async let other = importArtists(["Prince", "Björk"], into: stack)
    let made = try await one + other  // 3: there is one Prince
    let shown = try stack.mainContext.fetch(Artist.sorted(by: \.name))
    return (made, shown.map(\.name))
}

/// Collects what comes in, and saves it when told to.
actor Inbox {
    private let context: EditContext

    init(_ stack: Stack) throws { context = try stack.makeContext(named: "inbox") }

    func take(_ name: String) throws { try context.insert(Artist(name: name)) }
    func save() async throws -> Int { try await context.save().inserted }
}
