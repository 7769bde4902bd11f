import Granary
import GranaryTesting
import Testing

/// What the page about testing says, done.
struct TestingTests {
    private let book: ImportValue = [
        "isbn": "1", "title": "Frankenstein", "year": 1_818, "author": ["id": 1, "name": "Mary Shelley"],
    ]

    @Test func `a library in memory has what the test says`() async throws {
        let stack = try await Library().stack()
        #expect(try await stack.read { try $0.count(Book.where { $0.author.name == "Mary Shelley" }) } == 3)
        try await checkFollowing(stack)
    }

    @Test func `an import is checked by records and by values`() async throws {
        try await checkCatalogue(book)
        await #expect(throws: ExpectationFailure.self) {
            try await checkCatalogue(["isbn": "1", "title": "F", "year": 1, "author": ["id": 1, "name": "M"]])
        }
    }
}
