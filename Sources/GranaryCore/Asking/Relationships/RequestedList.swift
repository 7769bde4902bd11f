/// The list that a request is for. Its records come in the list's order unless the request has another one. Links hold
/// that order, and reading the links costs less than looking up the place of each record.
@usableFromInline final class RequestedList: Sendable {
    private let relationship: Relationship
    private let owner: StoredValue
    /// The request for the whole list.
    private let whole: AnyRequest

    init(_ relationship: Relationship, of owner: StoredValue, _ whole: AnyRequest) {
        self.relationship = relationship
        self.owner = owner
        self.whole = whole
    }

    /// The records of a request for the list, read through the links; nil if the request has to be run in another way.
    func records<Root>(_ request: Query<Root>, in context: ReadContext) throws -> [Root]? {
        let asked = request.untyped
        guard asked.order == whole.order, asked.offset == 0 else { return nil }
        let links = try RelationshipLinks(relationship, of: owner, in: context.schema)
        let isWhole = asked.condition == whole.condition
        var unordered = asked
        (unordered.order, unordered.limit) = ([], nil)
        if let limit = asked.limit {
            // Links are read until `limit` records are found.
            guard isWhole, (1...10_000).contains(limit), let first = try links.first(limit, in: context) else {
                return nil
            }
            let key = context.schema.entities[try context.schema.position(ofEntity: asked.entity)].key
            unordered.condition = .among(key, first.map(\.member))
            let records = try Query<Root>(records: unordered).fetch(in: context)
            // A link may name a record that does not exist if its delete rule allows that.
            guard records.count == first.count else { return nil }
            return try first.arranged(records) { try $0._storedKey }
        }
        let records = try Query<Root>(records: unordered).fetch(in: context)
        let ordered =
            try isWhole ? links.all(in: context) : links.among(try records.map { try $0._storedKey }, in: context)
        return try ordered.arranged(records) { try $0._storedKey }
    }
}
