import Foundation
import Granary
import Testing

/// What the page about errors says, done.
@MainActor struct ErrorTests {
    @Test func `each code has a line on the page`() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let file = here.appending(path: "../../Sources/GranaryPlatform/GranaryError.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let codes = source.components(separatedBy: "public static let ").dropFirst().map { part in
            String(part.prefix { $0 != " " })
        }
        #expect(codes.contains("uniqueness"))
        let page = try PageTests.text(ofPage: "Errors")
        for code in codes { #expect(page.contains("\n| `\(code)` | "), "\(code)") }
    }

    @Test(arguments: Kind.allCases) func `a label that exists is refused in words`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Label.self)) { (stack: Stack) async throws in
            #expect(try await addLabel("Blue Note", to: stack) == "Blue Note is label number 1.")
            #expect(try await addLabel("Blue Note", to: stack) == "Another label has the same name.")
            #expect(try await renameLabel(1, to: "Verve", in: stack).name == "Verve")
            let error = await #expect(throws: GranaryError.self) { try await renameLabel(9, to: "ECM", in: stack) }
            #expect(error?.code == .recordNotFound)
            #expect(error?.isRetryable == false)
        }
    }

    @Test(arguments: Kind.allCases) func `a conflict is worth another try`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Label.self)) { (stack: Stack) async throws in
            _ = try await addLabel("Verve", to: stack)
            let first = try stack.makeContext()
            let second = try stack.makeContext()
            try first.update(Label.self, 1) { $0.name = "Blue Note" }
            try second.update(Label.self, 1) { $0.name = "ECM" }
            try await first.save()
            let error = await #expect(throws: GranaryError.self) { try await second.save() }
            #expect(error?.code == .mergeConflict)
            #expect(error?.isRetryable == true)
            #expect(second.hasChanges)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a transaction goes on after an insert that throws`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Label.self)) { (stack: Stack) async throws in
            try await stack.write { tx in
                try tx.insert(Label(name: "ECM"))
                let error = #expect(throws: GranaryError.self) { try tx.insert(Label(name: "ECM")) }
                #expect(error?.code == .uniqueness)
                try tx.insert(Label(name: "Verve"))
            }
            let names = try await stack.read { try $0.fetch(Label.sorted(by: \.name)).map(\.name) }
            #expect(names == ["ECM", "Verve"])
        }
    }

    @Test func `a status answers each code as the table of the page says`() throws {
        let page = try PageTests.text(ofPage: "Errors")
        let rows =
            page.components(separatedBy: "| codes | whose mistake | status of HTTP |").last?
            .components(separatedBy: "\n\n").first?.split(separator: "\n").dropFirst() ?? []
        var decided: Set<String> = []
        for row in rows {
            let columns = row.split(separator: "|").map(String.init)
            guard columns.count == 3 else { continue }
            for code in columns[0].matches(of: /`([A-Za-z]+)`/).map({ String($0.1) }) {
                let status = httpStatus(of: GranaryError(.init(rawValue: code), "No message."))
                #expect(columns[2].contains("\(status)"), "\(code)")
                decided.insert(code)
            }
        }
        #expect(decided.count >= 20)
        #expect(httpStatus(of: GranaryError(.closed, "No message.")) == 500)
    }
}
