import Foundation
import GranaryConformance
import GranaryCore
import GranaryTool
import StoreSubjects
import TestSupport
import Testing

/// The whole suite, but for its heavy cases, on every store. The stores run beside each other, each one case at a time, as some
/// cases measure how long others wait.
enum ConformanceTests {
    /// One situation has one error, whatever store it is met on.
    private static let ledger = ErrorLedger()

    private static func check(_ conformance: ConformanceCase, on subject: ConformanceSubject) async throws {
        var subject = subject
        subject.ledger = ledger
        try await ConformanceSuite.check(conformance, on: subject, seed: TestSeed.of(1), in: TemporaryFolder.parent)
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
            defer { try? stack.blocking.close() }
            #expect(stack.capabilities.has(.externalData))
        }
    }

    @Suite(.serialized) struct SQLite {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await check(conformance, on: StoreKind.sqlite.subject)
        }
    }

    @Suite(.serialized) struct LMDB {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await check(conformance, on: StoreKind.lmdb.subject)
        }
    }

    @Suite(.serialized) struct Memory {
        @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
            try await check(conformance, on: StoreKind.memory.subject)
        }
    }

    /// The areas about writing, with every write made in a context that is saved at commit. All areas, and contexts over contexts:
    /// `.ci/run` on memory.
    enum Contexts {
        private static let areas: Set<ConformanceCase.Area> = [
            .records, .keys, .uniqueness, .references, .relationships, .linking, .transactions, .messages,
        ]
        static let cases = ConformanceTests.cases.filter { areas.contains($0.area) }

        @Suite(.serialized) struct SQLite {
            @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
                try await check(conformance, on: StoreKind.sqlite.subject.throughContexts())
            }
        }

        @Suite(.serialized) struct LMDB {
            @Test(arguments: cases) func passes(_ conformance: ConformanceCase) async throws {
                try await check(conformance, on: StoreKind.lmdb.subject.throughContexts())
            }
        }
    }
}
