extension Request {
    /// Up to `count` results, chosen at random, in no particular order. Each result is equally likely.
    ///
    /// Cost: for records, reads the keys of all records and then the chosen ones. Otherwise reads all rows, with memory
    /// for the chosen ones, or for all groups if the request has groups.
    public func sample(
        count: Int, using generator: inout some RandomNumberGenerator, in context: ReadContext
    ) throws -> [Output] {
        var sample = Sample<[StoredValue]>(count)
        var request = try rows(in: context)
        switch making {
        case .records:
            let entity = context.schema.entities[request.entity]
            let key = TypedExpression(
                .attribute(entity.keyPosition), entity.attributes[entity.keyPosition].type, isOptional: false)
            request.columns = [key]
            if !request.isCut { request.order = [] }
            try sample.take(try context.rows(request), 1, using: &generator)
            let keys = sample.shuffled(using: &generator).compactMap(\.first)
            return try records(keys, of: entity, in: context)
        case .values(let selection):
            if let grouping = untyped.grouping {
                for group in try groups(grouping, in: context) { sample.take(group.columns, using: &generator) }
            } else {
                try sample.take(try context.rows(request), selection.columns.count, using: &generator)
            }
            return try selection.values(of: sample.shuffled(using: &generator), untyped.entity)
        }
    }

    /// Up to `count` results, chosen at random, in no particular order: like ``sample(count:using:in:)``.
    ///
    /// ```swift
    /// let three = try Artist.all.sample(count: 3, in: snapshot)
    /// ```
    public func sample(count: Int, in context: ReadContext) throws -> [Output] {
        var generator = SystemRandomNumberGenerator()
        return try sample(count: count, using: &generator, in: context)
    }

    /// The results for the records with these keys, in the order of the keys.
    private func records(_ keys: [StoredValue], of entity: Entity, in context: ReadContext) throws -> [Output] {
        var places: [StoredValue: Output] = [:]
        for part in keys.chunks() {
            var chosen = self
            chosen.untyped.condition = .among(entity.key, part)
            (chosen.untyped.order, chosen.untyped.limit, chosen.untyped.offset) = ([], nil, 0)
            // Without an order they come by key.
            for (key, output) in zip(part.sorted(), try chosen.fetch(in: context)) { places[key] = output }
        }
        return keys.compactMap { places[$0] }
    }
}

/// Rows chosen at random: each row after the first ones replaces a kept row with the right probability (reservoir
/// sampling).
private struct Sample<Element> {
    private let count: Int
    private var kept: [Element] = []
    private var seen = 0

    init(_ count: Int) { self.count = count }

    mutating func take(_ element: @autoclosure () -> Element, using generator: inout some RandomNumberGenerator) {
        guard count > 0 else { return }
        seen += 1
        if kept.count < count {
            kept.append(element())
        } else {
            let place = Int.random(in: 0..<seen, using: &generator)
            if place < count { kept[place] = element() }
        }
    }

    func shuffled(using generator: inout some RandomNumberGenerator) -> [Element] { kept.shuffled(using: &generator) }
}

extension Sample<[StoredValue]> {
    mutating func take(
        _ cursor: any RowCursor, _ columnCount: Int, using generator: inout some RandomNumberGenerator
    ) throws {
        while let row = try cursor.next() {
            let cells = row.cells
            take((0..<columnCount).map { StoredValue(cells[$0]) }, using: &generator)
        }
    }
}
