import Foundation
import Granary
import GranaryMemory
import GranarySQLite
import Testing

@Record struct Author {
    @Key(.assigned) var id: Int64 = 0
    @Unique var name: String
    static let books = ToMany(\Book.Fields.author, onDelete: .cascade)
}

@Record struct Book {
    @Key var isbn: String
    var title: String
    @Index var year: Int
    var rating: Double?
    var author: Ref<Author>
}

func openLibrary(_ url: URL) async throws -> Stack {
    try await Stack(Schema(Author.self, Book.self), store: .sqlite(at: url))
}

/// Adds an author with two books. If they are there already, they are written again.
func addBooks(to stack: Stack) async throws {
    try await stack.write { tx in
        let shelley = try Author.findOrCreate(where: { $0.name == "Mary Shelley" }, in: tx)
        try tx.upsert([
            Book(isbn: "9780141439471", title: "Frankenstein", year: 1818, author: Ref(shelley)),
            Book(isbn: "9780199552351", title: "The Last Man", year: 1826, author: Ref(shelley)),
        ])
    }
}

/// The titles of the books of some years, the oldest book first.
func titles(from start: Int, to end: Int, in stack: Stack) async throws -> [String] {
    try await stack.read { snapshot in
        let books = Book.where { $0.year >= start && $0.year <= end }.sorted(by: \.year)
        return try snapshot.fetch(books).map(\.title)
    }
}

/// A line for each author, with the titles of the author's books.
func catalogue(of stack: Stack) async throws -> [String] {
    try await stack.read { snapshot in
        let authors = try snapshot.fetch(Author.sorted(by: \.name).with { $0.books })
        return authors.map { author, books in
            "\(author.name): \(books.map(\.title).joined(separator: ", "))"
        }
    }
}

/// Gives a book another title.
func retitle(_ isbn: String, _ title: String, in stack: Stack) async throws {
    let edit = try stack.makeContext(named: "editor")
    try edit.update(Book.self, isbn) { $0.title = title }
    // Queries of `edit` see the new title now. Nobody else does.
    try await edit.save()  // or edit.rollback()
}

func importBooks(_ file: URL, into stack: Stack) async throws -> ImportReport {
    try await stack.import(file, as: Book.self)
}

func library(_ url: URL, importing file: URL) async throws -> [String] {
    let stack = try await openLibrary(url)
    try await addBooks(to: stack)
    try await retitle("9780141439471", "Frankenstein; or, The Modern Prometheus", in: stack)
    let report = try await importBooks(file, into: stack)
    print("\(report.inserted) new, \(report.updated) changed")  // 3 new, 1 changed
    let lines = try await catalogue(of: stack)
    try await stack.close()
    return lines
}

@Test func `books are found by their years`() async throws {
    let stack = try await Stack(Schema(Author.self, Book.self), store: .inMemory)
    try await addBooks(to: stack)
    #expect(try await titles(from: 1820, to: 1899, in: stack) == ["The Last Man"])
    try await stack.close()
}
