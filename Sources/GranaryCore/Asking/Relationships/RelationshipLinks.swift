/// The links that relate one record to others, in stored form. Relationships with types and by name both use it.
///
/// In a many-to-many relationship a link is a record of the link entity; in any other it is the related record itself.
struct RelationshipLinks {
    let relationship: Relationship
    /// The key of the owner.
    let owner: StoredValue
    /// The position of the links' entity.
    let source: Int
    let entity: Entity
    /// The link's attribute that refers to the owner.
    let attribute: Int
    /// The link's attribute that holds the related record's key.
    let member: Int
    /// The link's attribute that holds the order; nil without an order.
    let place: Int?
    private let resolver: QueryResolver

    struct Link {
        /// The link's key.
        var key: StoredValue
        /// The related record's key.
        var member: StoredValue
        /// The link's place; null if the relationship has no order.
        var place: StoredValue
    }

    /// - Throws: `typeMismatch` if the owner's key is of another type.
    init(_ relationship: Relationship, of owner: StoredValue, in schema: Schema) throws {
        self.relationship = relationship
        self.owner = owner
        resolver = QueryResolver(schema: schema)
        source = try resolver.position(ofEntity: relationship.entity)
        let entity = schema.entities[source]
        self.entity = entity
        attribute = try entity.position(ofAttribute: relationship.attribute)
        member = try relationship.through.map { try entity.position(ofAttribute: $0) } ?? entity.keyPosition
        place = try relationship.orderedBy.map { try entity.position(ofAttribute: $0) }
        guard owner != .null else {
            throw GranaryError(
                .typeMismatch,
                "A record without a key has no \(relationship.name). Insert the record first, and use what insert returns.",
                entity: ownerEntity)
        }
        try entity.attributes[attribute].check(owner, in: entity)
    }

    var isManyToMany: Bool { relationship.through != nil }

    var ownerEntity: String { entity.attributes[attribute].reference?.entity ?? entity.name }

    var relatedEntity: String {
        isManyToMany ? entity.attributes[member].reference?.entity ?? entity.name : entity.name
    }

    var isOwned: ResolvedCondition { .compare(position: attribute, .equal, owner) }

    /// The same many-to-many relationship seen from one of the related records; nil unless that side keeps an order in
    /// the links.
    func otherSide(of member: StoredValue, in schema: Schema) throws -> RelationshipLinks? {
        guard isManyToMany, place == nil else { return nil }
        let related = schema.entities[try schema.position(ofEntity: relatedEntity)]
        let other = related.relationships.first {
            $0.entity == relationship.entity && $0.attribute == relationship.through
                && $0.through == relationship.attribute && $0.orderedBy != nil
        }
        return try other.map { try RelationshipLinks($0, of: member, in: schema) }
    }

    /// All links, in the relationship's order.
    func all(in context: ReadContext) throws -> [Link] { try read(isOwned, in: context) }

    /// The links to some related records, in the relationship's order. Cost: a search for each of these records,
    /// however many others are related.
    func among(_ members: [StoredValue], in context: ReadContext) throws -> [Link] {
        let sorted = Set(members).sorted()
        guard !sorted.isEmpty else { return [] }
        // Records are found by their keys alone: an index on the owner would give all records of the owner.
        guard isManyToMany else { return try read(.isListed(sorted, at: member), in: context) }
        guard isFoundByMember else {
            return try read(.all([isOwned, .isListed(sorted, at: member)]), in: context)
        }
        return try sorted.flatMap { key in
            try read(.all([isOwned, .compare(position: member, .equal, key)]), in: context)
        }
    }

    /// Whether an index finds a link by the related record first, then by the owner. Such an index is searched once for
    /// each key: for a list of keys the planner would choose an index that gives all links of the owner.
    private var isFoundByMember: Bool {
        let names = [member, attribute].map { entity.attributes[$0].name }
        return place == nil && entity.indexes.contains { $0.isUnique && $0.attributes == names }
    }

    /// The last link in the relationship's order.
    ///
    /// - Parameter members: Related records to ignore.
    func last(besides members: Set<StoredValue> = [], in context: ReadContext) throws -> Link? {
        try read(isOwned, isReversed: true, limit: members.count + 1, in: context).first {
            !members.contains($0.member)
        }
    }

    /// The places of these links that another link of the owner has as well.
    func sharedPlaces(of links: [Link], in context: ReadContext) throws -> Set<StoredValue> {
        let places = Set(links.map(\.place)).subtracting([.null]).sorted()
        guard let place, !places.isEmpty else { return [] }
        var found: Set<StoredValue> = []
        let all = try read(.all([isOwned, .isListed(places, at: place)]), in: context)
        return Set(all.map(\.place).filter { !found.insert($0).inserted })
    }

    /// The first `count` links in the relationship's order. Returns nil if the places do not decide which these are,
    /// because the last of them has the same place as the next link.
    func first(_ count: Int, in context: ReadContext) throws -> [Link]? {
        let links = try read(isOwned, limit: count + 1, in: context)
        guard count > 0, links.count > count else { return Array(links.prefix(count)) }
        return links[count - 1].place == links[count].place ? nil : Array(links.prefix(count))
    }

    /// Up to `count` links from one on, in the relationship's order. The order of links with equal places is that of
    /// their keys if not all of these links are read.
    ///
    /// - Parameter key: The key of a link to ignore.
    func some(from start: Int, count: Int, besides key: StoredValue? = nil, in context: ReadContext) throws -> [Link] {
        try read(isOwned(besides: key), from: start, limit: count, in: context)
    }

    /// The first links with places greater than one, as `some` gives them.
    func following(_ number: Int64, limit: Int, besides key: StoredValue?, in context: ReadContext) throws -> [Link] {
        guard let place else { return [] }
        let condition = ResolvedCondition.compare(position: place, .greater, .integer(number))
        return try read(.all([isOwned(besides: key), condition]), limit: limit, in: context)
    }

    func count(in context: ReadContext) throws -> Int {
        try context.count(FetchRequest(entity: source, condition: isOwned))
    }

    private func isOwned(besides key: StoredValue?) -> ResolvedCondition {
        guard let key else { return isOwned }
        return .all([isOwned, .compare(position: entity.keyPosition, .notEqual, key)])
    }

    private func read(
        _ condition: ResolvedCondition, from start: Int = 0, isReversed: Bool = false, limit: Int? = nil,
        in context: ReadContext
    ) throws -> [Link] {
        var request = FetchRequest(entity: source, condition: condition, limit: limit)
        request.offset = start
        if let place {
            request.order = [
                FetchRequest.OrderTerm(resolver.attribute(place, of: source), isDescending: isReversed)
            ]
        }
        request.columns = ([entity.keyPosition, member, attribute] + (place.map { [$0] } ?? []))
            .map { resolver.attribute($0, of: source) }
        var links: [Link] = []
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            guard StoredValue(row[2]) == owner else { continue }
            links.append(Link(key: StoredValue(row[0]), member: StoredValue(row[1]), place: StoredValue(row[3])))
        }
        return isManyToMany && place != nil && !isReversed ? links.withTiesByMember : links
    }
}

extension [RelationshipLinks.Link] {
    /// Links by place. Links with the same place come by the key of the related record, as in a query. Equal places
    /// arise when two contexts add to the end of one list.
    fileprivate var withTiesByMember: [RelationshipLinks.Link] {
        guard zip(self, dropFirst()).contains(where: { $0.place == $1.place }) else { return self }
        var links = self
        var start = 0
        while start < count {
            let place = self[start].place
            let end = self[start...].firstIndex { $0.place != place } ?? count
            if end > start + 1 { links[start..<end].sort { $0.member < $1.member } }
            start = end
        }
        return links
    }

    /// Records in the order of these links. Records without a link are left out.
    func arranged<T>(_ records: [T], by key: (T) throws -> StoredValue) rethrows -> [T] {
        let places = Dictionary(try records.enumerated().map { (try key($0.element), $0.offset) }) { first, _ in first }
        return compactMap { link in places[link.member].map { records[$0] } }
    }
}

extension ResolvedCondition {
    /// The condition that an attribute has one of some sorted values. For a single value it is an equality, which any
    /// index answers.
    static func isListed(_ values: [StoredValue], at position: Int) -> ResolvedCondition {
        values.count == 1 ? .compare(position: position, .equal, values[0]) : .among(position: position, values)
    }
}

extension Relationship {
    /// The condition and the order of a request for the related records. Any other order replaces this one.
    ///
    /// If links hold the order, a record comes by the place of the link that relates it to the owner.
    ///
    /// - Parameter key: The name of the related records' key.
    func related(to owner: AnyExpression, key: String) -> (condition: AnyCondition, order: [Ordering]) {
        let isOwned = AnyCondition.relation(.attribute(attribute), .equal, owner)
        guard let through else { return (isOwned, order(by: orderedBy.map { .attribute($0) })) }
        let links = AnySubquery(entity, column: .attribute(through), condition: isOwned)
        let place = orderedBy.map { place in
            AnyExpression.aggregate(
                .minimum, of: .attribute(place), over: Relationship.referringName(entity, through), where: isOwned)
        }
        return (.amongRows(.attribute(key), links), order(by: place))
    }

    private func order(by place: AnyExpression?) -> [Ordering] {
        guard let place else { return [] }
        var ordering = Ordering(place)
        ordering.givesWay = true
        return [ordering]
    }

    /// Whether links hold the order. Reading the links then costs less than a query of the related records.
    var isOrderedByLinks: Bool { through != nil && orderedBy != nil }
}
