import ArgumentParser
import Foundation
import GranaryCore
import GranaryTool

/// `granary demo`: real data into each store, the same questions to each, and the time each took.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Load real tables into each store, ask each the same questions, and compare answers and times.",
        discussion: """
            The tables are the ISO codes of countries, their parts, currencies and languages, of Debian's package \
            iso-codes. The stores are made in a temporary folder and removed afterwards.
            """)

    @Option(
        name: .customLong("store"),
        help: "Only this store: \(StoreKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var only: StoreKind?

    @Option(help: "The folder with the JSON files of iso-codes.")
    var data = CodeTables.standardFolder

    func run() async throws {
        let tables = try CodeTables(folder: data)
        let kinds = only.map { [$0] } ?? StoreKind.allCases
        let folder = FileManager.default.temporaryDirectory.path + "/granary-demo-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }

        var report = DemoReport(stores: kinds.map(\.rawValue), questions: CodeTables.questions.map(\.text))
        for kind in kinds {
            let stack = try await Stack(
                CodeTables.schema, store: kind.provider(at: "\(folder)/Codes.\(kind.rawValue).granary"))
            report.add(load: try await seconds { try await stack.write { try tables.insert(into: $0) } }.1)
            for question in CodeTables.questions {
                // The first asking opens and prepares; the second is the one to time.
                _ = try await stack.read { try question.answer($0) }
                let (answer, time) = try await stack.read { snapshot in
                    let start = ContinuousClock.now
                    let answer = try question.answer(snapshot)
                    return (answer, ContinuousClock.now - start)
                }
                report.add(answer: answer, seconds: time.seconds)
            }
            try await stack.close()
        }
        print(report.text(records: tables.count))
        if !report.storesAgree { throw ExitCode(1) }
    }

    private func seconds<T>(_ body: () async throws -> T) async throws -> (T, Double) {
        let start = ContinuousClock.now
        let value = try await body()
        return (value, (ContinuousClock.now - start).seconds)
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
