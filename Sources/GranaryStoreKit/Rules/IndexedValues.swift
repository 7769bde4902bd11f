/// The attributes of an index or a reference, and a row's values of them as one value. Two such values are equal if the
/// index treats the rows as equal.
public struct IndexedValues: Sendable {
    /// The positions of the attributes in a row.
    public let positions: [Int]
    /// The folding of each position; empty if bytes are compared.
    package let foldings: [TextFolding]
    /// Whether texts that differ only in case or diacritics count as equal.
    public var isFolded: Bool { foldings.contains { !$0.isEmpty } }

    /// A single attribute.
    package init(_ position: Int) {
        positions = [position]
        foldings = [[]]
    }

    package init(_ index: Index, of entity: Entity) {
        positions = index.attributes.compactMap { name in entity.attributes.firstIndex { $0.name == name } }
        foldings = positions.map { entity.attributes[$0].type.storage == .text ? index.folding : [] }
    }

    /// The value of a row; nil if one of its parts is nil.
    public func value(of row: StoredRow) -> StoredValue? {
        for position in positions where row[position].isNull { return nil }
        if positions.count == 1 { return folded(row, 0) }
        let joined = CellBytes()
        for number in positions.indices { folded(row, number).withCell { joined.append($0) } }
        return .bytes(Array(joined.bytes))
    }

    /// Whether two records have the same value.
    package func agree(_ left: StoredRow, _ right: StoredRow) -> Bool {
        positions.indices.allSatisfy { number in
            if areSame(left[positions[number]], right[positions[number]]) { return true }
            return !foldings[number].isEmpty && folded(left, number) == folded(right, number)
        }
    }

    /// The condition for records with the same value as a row without nils.
    package func condition(_ row: StoredRow) -> ResolvedCondition {
        let terms = positions.indices.map { number -> ResolvedCondition in
            let (position, folding) = (positions[number], foldings[number])
            let value = folded(row, number)
            guard !folding.isEmpty, case .text(let pattern) = value else {
                return .compare(position: position, .equal, value)
            }
            return .text(.attribute(position), TextMatch(.equal, utf8: pattern, folding), isNegated: false)
        }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private func folded(_ row: StoredRow, _ number: Int) -> StoredValue {
        let value = row.value(at: positions[number])
        guard !foldings[number].isEmpty, case .text(let utf8) = value else { return value }
        // Bytes that are not UTF-8 are compared as they are.
        return .text((try? foldings[number].folded(utf8)) ?? utf8)
    }
}
