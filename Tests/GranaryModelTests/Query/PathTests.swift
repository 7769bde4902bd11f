import GranaryStoreKit
import Testing

@testable import GranaryModel

@Suite struct PathTests {
    private let schema = Schema(entities: [
        Entity(
            "Node", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string),
                Attribute("parent", .int64, isOptional: true, reference: .init(entity: "Node", onDelete: .nullify)),
            ])
    ])

    private func resolve(_ relationships: Int) throws -> FetchRequest {
        let path = String(repeating: "parent.", count: relationships) + "name"
        return try FetchRequest(
            entityNamed: "Node", condition: nil, order: [Ordering(attribute: path)], limit: nil, offset: 0, in: schema)
    }

    @Test func `a path goes through 20 relationships and no more`() throws {
        try #expect(resolve(20).order.count == 1)
        let error = #expect(throws: GranaryError.self) { try resolve(21) }
        #expect(error?.code == .invalidQuery)
        #expect(error?.entity == "Node")
    }
}
