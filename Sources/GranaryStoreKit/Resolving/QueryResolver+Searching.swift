extension QueryResolver {
    /// The condition of a search at a path: of the record itself, of the record at the end of the path, or of one
    /// attribute.
    func search(_ search: SearchText, at path: String, of start: Int, negated: Bool) throws -> ResolvedCondition {
        let place = try searchPlace(path, from: start)
        return try through(place.references, holdsOfNil: negated, negated: negated) { negated in
            let words = try words(place.search(search), of: place.entity, ranks: false)
            return .relation(words, .equal, .value(.integer(1)), isNegated: negated)
        }
    }

    /// - Parameter search: Nil for the searches of the request's condition.
    func rank(_ search: SearchText?, of entity: Int) throws -> TypedExpression {
        guard let search = search ?? ownSearch else {
            throw GranaryError(
                .invalidQuery,
                "The rank of a record is how well it answers a search, and this request has no search of its own records. Add `.where { $0.search(...) }`.",
                entity: self.entity(entity).name)
        }
        return TypedExpression(try words(search, of: entity, ranks: true), .double, isOptional: false)
    }

    private struct SearchPlace {
        var references: [Path.Reference]
        var entity: Int
        var attribute: String?

        func search(_ search: SearchText) -> SearchText { attribute.map { search.in($0) } ?? search }
    }

    private func searchPlace(_ path: String, from start: Int) throws -> SearchPlace {
        if path.isEmpty { return SearchPlace(references: [], entity: start) }
        // With one more name, every part of the path is before the last one.
        let owner = try self.path(path, from: start)
        let attribute = entity(owner.entity).attributes[owner.position]
        guard let reference = attribute.reference else {
            return SearchPlace(references: owner.references, entity: owner.entity, attribute: attribute.name)
        }
        let target = try position(ofEntity: reference.entity)
        let last = Path.Reference(
            position: owner.position, entity: target, isEnforced: reference.onDelete != .noAction,
            isOptional: attribute.isOptional)
        return SearchPlace(references: owner.references + [last], entity: target)
    }

    private func words(_ search: SearchText, of entity: Int, ranks: Bool) throws -> ResolvedExpression {
        let owner = self.entity(entity)
        let positions = owner.searchedPositions
        guard !positions.isEmpty else { throw GranaryError.notSearchable(owner) }
        var builder = WordQuestionBuilder(owner.words) { try owner.searchedTexts(named: $0) }
        let root: WordQuestion.Node
        do {
            root = try builder.question(search)
        } catch let error as GranaryError where error.code == .missingTokenizer {
            throw error.about(owner.name)
        }
        var question = WordQuestion(
            root, builder.terms, areJSON: positions.map { owner.attributes[$0].type == .json }, rules: owner.words)
        if ranks {
            question.ranking = WordQuestion.Ranking(weights: positions.map { owner.attributes[$0].searchWeight ?? 1 })
        }
        return .words(question, positions.map { .attribute($0) })
    }
}

extension AnyCondition.Node {
    /// The searches of the record itself that its condition asks for, as one; nil if there are none.
    var ownSearch: SearchText? {
        switch self {
        case .search("", let search): return search
        case .all(let nodes):
            let searches = nodes.compactMap(\.ownSearch)
            return searches.isEmpty ? nil : .all(searches)
        case .any(let nodes):
            let searches = nodes.compactMap(\.ownSearch)
            return searches.isEmpty ? nil : .any(searches)
        default: return nil
        }
    }
}
