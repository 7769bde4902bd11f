import Foundation
import GranaryConformance
import GranaryCore
import StoreSubjects
import GranaryTool
import TestSupport
import Testing

/// The whole suite, but for its heavy cases, on every store. The stores run beside each other, each one case at a time, as some
/// cases measure how long others wait.
enum ConformanceTests {
    /// One situation has one error, whatever store it is met on.
    private static let ledger = ErrorLedger()

    private static func check(_ conformance: ConformanceCase, on kind: StoreKind) async throws {
        var subject = kind.subject
        subject.ledger = ledger
        try await ConformanceSuite.check(conformance, on: subject, in: TemporaryFolder.parent)
    }

    static let cases = ConformanceSuite.cases.filter { !$0.isHeavy }

    /// Which stores take part in what.
    @Suite struct Taking {
        @Test func `each case runs on a store`() {
            let subjects = StoreKind.allCases.map(\.subject)
            let left = ConformanceSuite.cases.filter { conformance in
                !subjects.contains { conformance.requires.allSatisfy($0.has) }
            }
            #expect(left.map(\.id) == [])
        }

        @Test(arguments: [StoreKind.sqlite, .lmdb])
        func `a store on disk keeps large values in files`(_ kind: StoreKind) throws {
            let folder = URL(filePath: TemporaryFolder.parent).appending(path: "granary-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let photo = Entity(
                "Photo", key: "id",
                attributes: [Attribute("id", Int64.self), Attribute("image", Data.self).external()])
            let stack = try Stack(Schema(entities: [photo]), store: kind.provider(at: folder.path))
            defer { try? stack.close() }
            #expect(stack.capabilities.has(.externalData))
        }
    }

    @Suite(.serialized) struct SQLite {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await check(conformance, on: .sqlite)
        }
    }

    @Suite(.serialized) struct LMDB {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await check(conformance, on: .lmdb)
        }
    }

    @Suite(.serialized) struct Memory {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await check(conformance, on: .memory)
        }
    }
}
