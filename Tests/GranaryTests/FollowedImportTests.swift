import Foundation
import Granary
import GranaryMemory
import Testing

/// Imports that are followed while they run.
struct FollowedImportTests {
    @Test(.timeLimit(.minutes(5))) func `an import is followed to its end`() async throws {
        let schema = Schema(entities: [
            Entity("City", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)])
        ])
        let stack = try await Stack(schema, store: .inMemory)
        let cities = (1...1200).map { "{\"id\": \($0), \"name\": \"city \($0)\"}" }.joined(separator: ",")
        let importing = FollowedWork { told in
            var importer = Importer()
            importer.progress = { report in told(StoreProgress(report, entity: "City", total: 1200)) }
            return try await stack.import(.json(.text("[\(cities)]")), as: "City", with: importer)
        }
        var last: StoreProgress?
        for await state in importing { last = state }
        #expect(last == StoreProgress(entity: "City", records: 1200, total: 1200))
        let report = try await importing.value
        #expect(report.inserted == 1200)
        #expect(importing.progress.isFinished)
        try await stack.close()
    }
}
