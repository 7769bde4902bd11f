import Foundation
import Granary
import Testing

/// What the pages for a first program say, done.
struct BeginningTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    /// The first block of a page that is in a language.
    private static func block(_ language: String, ofPage name: String) throws -> String {
        let parts = try PageTests.text(ofPage: name).components(separatedBy: "```\(language)\n")
        let block = parts.dropFirst().first?.components(separatedBy: "```").first
        return try #require(block)
    }

    /// Writes the file that the page shows.
    private static func writeBooks(in folder: URL) throws -> URL {
        let file = folder.appending(path: "Books.json")
        try Data(try block("json", ofPage: "GettingStarted").utf8).write(to: file)
        return file
    }

    @Test func `the first program runs, and runs again`() async throws {
        let lines = [
            "Mary Shelley: Frankenstein; or, The Modern Prometheus, The Last Man",
            "Ursula K. Le Guin: The Dispossessed, The Left Hand of Darkness",
        ]
        let shown = lines.joined(separator: "\n")
        #expect(try PageTests.text(ofPage: "GettingStarted").contains("\n\(shown)\n```"))
        try await withFolder { (folder: URL) async throws in
            let file = try Self.writeBooks(in: folder)
            let url = folder.appending(path: "Library.granary")
            for _ in 0..<2 { #expect(try await library(url, importing: file) == lines) }
            let stack = try await openLibrary(url)
            let book = try await stack.read { try $0.find(Book.self, "9780199552351") }
            #expect(book?.title == "The Last Man")
            #expect(book?.rating == 4)
            try await stack.close()
        }
    }

    @Test(arguments: Kind.allCases)
    func `the first import changes a book and adds two with their author`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Author.self, Book.self)) { (stack: Stack) async throws in
            try await addBooks(to: stack)
            let report = try await withFolder { (folder: URL) async throws in
                try await importBooks(try Self.writeBooks(in: folder), into: stack)
            }
            #expect(report.inserted == 3)
            #expect(report.updated == 1)
            #expect(report.issues.isEmpty)
            try await retitle("9780441478125", "Winter's King", in: stack)
            #expect(try await titles(from: 1900, to: 1999, in: stack) == ["Winter's King", "The Dispossessed"])
        }
    }

    @Test func `the manifest of the first program names products of this package`() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let shown = try Self.block("text", ofPage: "GettingStarted")
        #expect(shown.components(separatedBy: "\n").first == manifest.components(separatedBy: "\n").first)
        let products = shown.components(separatedBy: ".product(name: \"").dropFirst().map { part in
            String(part.prefix { $0 != "\"" })
        }
        #expect(products == ["Granary", "GranarySQLite", "GranaryMemory"])
        for product in products { #expect(manifest.contains(".library(name: \"\(product)\"")) }
    }

    @Test func `a store is chosen by its name, and changed by a copy`() async throws {
        try await withFolder { (folder: URL) async throws in
            for kind in Kind.allCases {
                let stack = try await openLibrary(kind.rawValue, in: folder)
                #expect(stack.storeKind == kind.rawValue)
                #expect(keepsRecords(stack) == (kind != .memory))
                #expect(noticesDamage(stack) == (kind != .sqlite))
                try await addBooks(to: stack)
                let copy = try await changeToLMDB(stack, at: folder.appending(path: "Copy-\(kind.rawValue)"))
                #expect(copy.storeKind == "lmdb")
                #expect(try await titles(from: 1800, to: 1899, in: copy) == ["Frankenstein", "The Last Man"])
                try await copy.close()
                let error = await #expect(throws: GranaryError.self) { try await addBooks(to: stack) }
                #expect(error?.code == .closed)
            }
        }
    }
}
