import Granary
import GranaryMemory
import GranaryTesting

/// Authors and books with defaults. Each has a number, so that unique values are different.
struct Library {
    let authors = Factory { Author(name: "Author \($0)") }
    let books = Factory { Book(isbn: "isbn-\($0)", title: "Book \($0)", year: 2_000, author: Ref(1)) }

    /// A stack in memory with an author and old and new books.
    func stack(clock: ManualClock = ManualClock()) async throws -> Stack {
        let stack = try await Stack(Schema(Author.self, Book.self), store: .inMemory, clock: { clock.now })
        try await stack.write { tx in
            let shelley = try authors.insert(in: tx) { $0.name = "Mary Shelley" }
            let old = books.with { $0.year = 1_818 }
            try old.insert(2, in: tx) { $0.author = Ref(shelley) }
            try books.insert(in: tx) { $0.author = Ref(shelley) }
        }
        return stack
    }
}

/// What the catalogue's objects become.
func checkCatalogue(_ object: ImportValue) async throws {
    let schema = Schema(Author.self, Book.self)
    try await expectImport(
        object, as: Book.self, in: schema, gives: [Book(isbn: "1", title: "Frankenstein", year: 1_818, author: Ref(1))])
    try await expectImport(
        object, as: Book.self, in: schema, key: "1", has: ["author.name": "Mary Shelley", "rating": nil])
}

/// A list follows the store.
func checkFollowing(_ stack: Stack) async throws {
    let old = Watcher(stack.observe(Book.where { $0.year < 1_900 }.sorted(by: \.title)))
    try await old.wait { $0.last?.count == 2 }
    try await stack.write { _ = try $0.delete(Book.self, "isbn-1") }
    try await old.wait(within: .seconds(5)) { $0.last?.map(\.isbn) == ["isbn-2"] }
}
