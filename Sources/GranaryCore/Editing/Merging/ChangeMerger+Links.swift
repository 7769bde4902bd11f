// A link that both sides make is one link, and a link is deleted with either of its ends. Both cases are handled after
// writing has failed, so that links without a conflict cost nothing more.

extension ChangeMerger {
    /// Writes a new link; one that exists already is left as it is.
    func insertLink(_ write: Write, in writer: any StoreWriter, _ report: inout Report) throws {
        do {
            try write.row.withRow { _ = try writer.insert($0, into: write.entity) }
            report.inserted += 1
        } catch let error as GranaryError where error.code == .uniqueness {
            guard try isLinked(write, writer) else { throw error }
        }
    }

    private func isLinked(_ write: Write, _ writer: any StoreWriter) throws -> Bool {
        guard let request = FetchRequest(linksLike: write.row, of: write.entity, rules[write.entity]) else {
            return false
        }
        return try writer.count(request) > 0
    }

    /// The new links of a plan with an end that does not exist after everything else was written.
    func danglingLinks(_ plan: Plan, in writer: any StoreWriter) throws -> [Write] {
        try plan.inserted.filter { write in
            guard let ends = rules[write.entity].ends else { return false }
            return try [ends.source, ends.target].contains { position in
                guard let target = schema.target(of: write.entity, position) else { return false }
                let place = RecordChange.Place(entity: target, key: write.row.value(at: position))
                return try stored(place, writer) == nil
            }
        }
    }

    /// Removes links with missing ends from the plan.
    func drop(_ links: [Write], from plan: inout Plan) {
        let places = Set(links.map(place(of:)))
        plan.inserted.removeAll { places.contains(place(of: $0)) }
        for write in links {
            guard let ends = rules[write.entity].ends, let linked = rules[write.entity].linked else { continue }
            plan.report.notes.droppedLinks.append(
                DroppedLink(
                    entity: linked.owner, relationship: linked.name, owner: write.row.value(at: ends.source),
                    member: write.row.value(at: ends.target)))
        }
    }
}

extension FetchRequest {
    /// The links with the same ends as a given link; nil if the entity does not hold links.
    init?(linksLike row: StoredRow, of entity: Int, _ rules: MergeRules) {
        guard let ends = rules.ends else { return nil }
        self.init(
            entity: entity,
            condition: .all(
                [ends.source, ends.target].map { .compare(position: $0, .equal, row.value(at: $0)) }))
    }
}
