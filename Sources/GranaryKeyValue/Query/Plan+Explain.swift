extension Plan {
    /// A line a step, first what is read, then what is done with it.
    var lines: [String] {
        let entity = table.entity
        guard !ranges.isEmpty else { return ["nothing: the condition holds of no \(entity.name)"] }
        let way: String
        switch access {
        case .key: way = search.isEmpty ? "" : " using key"
        case .index(let number): way = " using index \(table.indexes[number].name)"
        }
        var lines: [String] = []
        if search.isEmpty {
            lines.append("scan \(entity.name)\(way)" + (isReverse ? " backwards" : ""))
        } else {
            let terms = search.joined(separator: ", ")
            lines.append("search \(entity.name)\(way) (\(terms))" + (isReverse ? " backwards" : ""))
        }
        if residual != nil { lines.append("filter") }
        if !isOrdered {
            // The key at the end is always there and need not be named, unless it is all there is.
            let named = order.count > 1 && order.last?.isDescending == order[order.count - 2].isDescending
            let terms = (named ? order.dropLast() : order[...]).map {
                entity.attributes[$0.position].name + ($0.isDescending ? " desc" : "")
            }
            let top = needed.map { " top \($0)" } ?? ""
            lines.append("sort\(top) by \(terms.joined(separator: ", "))")
        }
        return lines
    }
}
