extension ReadContext {
    /// The keys of records of a request chosen at random, in no order.
    func sampleKeys(
        _ request: FetchRequest, count: Int, using generator: inout some RandomNumberGenerator
    ) throws -> [StoredValue] {
        guard count > 0 else { return [] }
        var request = request
        let entity = schema.entities[request.entity]
        let key = TypedExpression(
            .attribute(entity.keyPosition), entity.attributes[entity.keyPosition].type, isOptional: false)
        request.columns = [key]
        if !request.isCut { request.order = [] }
        // Each key after the first ones replaces one of those kept with the right likelihood (reservoir sampling).
        var kept: [StoredValue] = []
        var seen = 0
        let cursor = try rows(request)
        while let row = try cursor.next() {
            seen += 1
            if kept.count < count {
                kept.append(StoredValue(row[0]))
            } else {
                let place = Int.random(in: 0..<seen, using: &generator)
                if place < count { kept[place] = StoredValue(row[0]) }
            }
        }
        kept.shuffle(using: &generator)
        return kept
    }
}
