import Testing

@testable import GranaryCore

struct ReadSetTests {
    private let schema = Schema(Plant.self)

    private func readSet(_ query: Query<Plant>, columns: [AnyExpression]? = nil) throws -> ReadSet {
        var request = try FetchRequest(query.untyped, in: schema)
        if let columns { try request.select(columns, isDistinct: false, in: schema) }
        return ReadSet(request)
    }

    private func summary(_ kind: RecordChange.Kind, of entity: Int = 0) -> ChangeSummary {
        ChangeSummary(
            ChangeSet(
                transactionNumber: 1, origin: ChangeOrigin(),
                changes: [RecordChange(place: .init(entity: entity, key: .integer(1)), kind: kind)]))
    }

    @Test func `records look at every attribute, chosen values at theirs and what is asked and ordered by`() throws {
        let update = summary(.updated(AttributeSet([1])))
        #expect(try readSet(Plant.all).isTouched(by: update))
        let query = Plant.where { $0.height > 1 }.sorted(by: { $0.bed })
        let chosen = try readSet(query, columns: [.attribute("id")])
        #expect(!chosen.isTouched(by: update))
        #expect(chosen.isTouched(by: summary(.updated(AttributeSet([2])))))
        #expect(chosen.isTouched(by: summary(.updated(AttributeSet([3])))))
        #expect(!chosen.isTouched(by: summary(.updated(AttributeSet([4])))))
        #expect(chosen.isTouched(by: summary(.inserted)) && chosen.isTouched(by: summary(.deleted)))
        #expect(!chosen.isTouched(by: summary(.inserted, of: 1)))
        #expect(!chosen.hasRelations)
    }

    @Test func `a path looks at its references and at what it leads to`() throws {
        let path = try readSet(Plant.where { $0.neighbour.height > 1 }, columns: [.attribute("id")])
        #expect(path.hasRelations)
        #expect(path.isTouched(by: summary(.updated(AttributeSet([4])))))
        #expect(path.isTouched(by: summary(.updated(AttributeSet([3])))))
        #expect(!path.isTouched(by: summary(.updated(AttributeSet([1])))))
    }

    @Test func `what is not known touches everything`() throws {
        let unknown = ChangeSummary(ChangeSet(transactionNumber: 1, origin: ChangeOrigin(), changes: nil))
        #expect(try readSet(Plant.where { $0.id == 1 }).isTouched(by: unknown))
    }
}
