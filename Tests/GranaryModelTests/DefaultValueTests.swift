import GranaryModel
import Testing

/// Defaults that are given as Swift values.
struct DefaultValueTests {
    @Test func `a default that cannot be stored makes the schema invalid`() throws {
        let attributes = [Attribute("id", Int64.self), Attribute("rating", Double.self, default: .nan)]
        let schema = Schema(entities: [Entity("Song", key: "id", attributes: attributes)])
        let error = #expect(throws: GranaryError.self) { try schema.validate() }
        #expect(error?.code == .invalidSchema)
        #expect(error?.message.hasPrefix("The default of rating cannot be stored. NaN cannot be stored") == true)
        #expect(error?.attributes == ["rating"])
    }

    @Test func `a default that can be stored is kept`() throws {
        let attribute = Attribute("rating", Double.self, default: 4.5)
        #expect(attribute.defaultValue == .real(4.5))
        let schema = Schema(entities: [
            Entity("Song", key: "id", attributes: [Attribute("id", Int64.self), attribute])
        ])
        try schema.validate()
    }

    @Test func `a default that is not UTF-8 is refused, and never written as another text`() throws {
        let name = Attribute("name", .string, defaultValue: .text([0x61, 0xFF]))
        let schema = Schema(entities: [
            Entity("Song", key: "id", attributes: [Attribute("id", Int64.self), name])
        ])
        #expect(throws: GranaryError.self) { try schema.json() }
    }
}
