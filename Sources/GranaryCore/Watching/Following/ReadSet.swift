/// The entities and attributes that a request reads. A commit that changes none of them cannot change the answer.
struct ReadSet: Sendable, Hashable {
    struct OfEntity: Sendable, Hashable {
        let entity: Int
        var attributes = AttributeSet()
        /// Whether every attribute is read.
        var isWhole = false
    }

    private(set) var entities: [OfEntity] = []
    /// Whether the request reads other records than those it gives.
    private(set) var hasRelations = false

    init() {}

    init(_ request: FetchRequest) { add(request) }

    /// Adds everything that another request reads.
    mutating func add(_ other: ReadSet) {
        for looked in other.entities {
            look(at: looked.entity) {
                $0.attributes.formUnion(looked.attributes)
                $0.isWhole = $0.isWhole || looked.isWhole
            }
        }
        hasRelations = true
    }

    /// Whether a commit may change the answer. Inserted and deleted records may do so whatever their values are.
    func isTouched(by summary: ChangeSummary) -> Bool {
        guard summary.changes != nil else { return true }
        for changed in summary.entities {
            guard let looked = entities.first(where: { $0.entity == changed.entity }) else { continue }
            if changed.hasOthers || looked.isWhole || looked.attributes.intersects(changed.attributes) { return true }
        }
        return false
    }

    /// The attributes that are read of an entity; nil if it is not read.
    func attributes(of entity: Int) -> OfEntity? { entities.first { $0.entity == entity } }
}

extension ReadSet {
    private mutating func look(at entity: Int, _ change: (inout OfEntity) -> Void = { _ in }) {
        if let place = entities.firstIndex(where: { $0.entity == entity }) {
            change(&entities[place])
        } else {
            var looked = OfEntity(entity: entity)
            change(&looked)
            entities.append(looked)
        }
    }

    private mutating func look(at position: Int, of entity: Int) {
        look(at: entity) { $0.attributes.insert(position) }
    }

    mutating func add(_ request: FetchRequest) {
        let columns = request.aggregation?.values ?? request.columns
        look(at: request.entity) { if columns == nil { $0.isWhole = true } }
        if let condition = request.condition { add(condition, of: request.entity) }
        // For an aggregation the order matters only if a limit or an offset leaves rows out.
        if request.aggregation == nil || request.isCut {
            for term in request.order { add(term.value.expression, of: request.entity) }
        }
        for column in columns ?? [] { add(column.expression, of: request.entity) }
    }

    // The depth is bounded where conditions and expressions are resolved.
    private mutating func add(_ condition: ResolvedCondition, of entity: Int) {
        switch condition {
        case .compare(let position, _, _), .among(let position, _), .notAmong(let position, _):
            look(at: position, of: entity)
        case .amongRows: hasRelations = true
        case .toOne(let position, let target, _, _): refer(by: position, of: entity, to: target)
        case .toMany(let source, let position, _, _):
            hasRelations = true
            look(at: position, of: source)
        case .always, .relation, .listed, .text, .all, .any: break
        }
        condition.forEachChild { add($0, of: condition.target ?? entity) }
    }

    private mutating func add(_ expression: ResolvedExpression, of entity: Int) {
        switch expression {
        case .attribute(let position): look(at: position, of: entity)
        case .toOne(let position, let target, _): refer(by: position, of: entity, to: target)
        case .aggregate(let aggregate):
            hasRelations = true
            look(at: aggregate.position, of: aggregate.entity)
        // A rank depends on all records.
        case .words(let question, _): if question.ranking != nil { hasRelations = true }
        case .value, .arithmetic, .function, .ifNil, .given: break
        }
        expression.forEachChild { add($0, of: expression.target ?? entity) }
    }

    private mutating func add(_ child: ResolvedChild, of entity: Int) {
        switch child {
        case .condition(let condition): add(condition, of: entity)
        case .expression(let expression): add(expression, of: entity)
        case .request(let request): add(request)
        }
    }

    private mutating func refer(by position: Int, of entity: Int, to target: Int) {
        hasRelations = true
        look(at: position, of: entity)
        look(at: target)
    }
}
