import GranaryStoreKit

extension Planner {
    /// The search of the key or an index for the conditions: the leading components that are compared for equality,
    /// then one list or one range. Rows with equal values in an index are ordered by key.
    func search(_ access: Plan.Access, _ terms: SearchTable) -> Candidate {
        var candidate = Candidate(access: access, prefix: KeyPrefix(table, access))
        let components = table.components(access)
        var values: [StoredValue] = []
        for component in components {
            guard let asked = terms[component] else { break }
            guard let (value, number) = asked.equal else {
                addRange(asked, component, &candidate)
                break
            }
            guard access != .key || value != .null else { break }
            candidate.prefix.append(value, at: component.position)
            candidate.searched.insert(number)
            if !candidate.prefix.isCut { candidate.proven.insert(number) }
            candidate.words.append(.equal(component))
            candidate.ranges = [candidate.prefix.range]
            candidate.equal += 1
            values.append(value)
        }
        if candidate.equal == components.count {
            // All values are known, and so is the hash of a cut key, which gives the single entry.
            if candidate.prefix.isCut { candidate.ranges = [candidate.prefix.exactRange(values)] }
            candidate.isSingle = isUnique(access) && !values.contains(.null)
            candidate.score += candidate.isSingle ? (access == .key ? 1_000_000 : 900_000) : 0
            if !candidate.isSingle { addKeyBounds(terms, &candidate) }
        }
        candidate.score += candidate.equal * 1000
        candidate.isNarrowing = candidate.isNarrowing || candidate.equal > 0
        if access == .key && candidate.words.isEmpty { candidate.score += 20 }
        return candidate
    }

    private func addRange(_ asked: SearchTerms, _ component: SearchComponent, _ candidate: inout Candidate) {
        if let (values, numbers) = asked.among, isWorthListing(values) {
            addList(values, numbers, component, &candidate)
        } else if asked.lower != nil || asked.upper != nil || asked.prefix != nil {
            addBounds(asked, component, &candidate)
        } else if !asked.notNull.isEmpty, candidate.access != .key {
            candidate.ranges = [candidate.prefix.notNullRange]
            candidate.searched.formUnion(asked.notNull)
            if candidate.prefix.hasRoom { candidate.proven.formUnion(asked.notNull) }
            candidate.words.append(.notNil(component))
            candidate.score += isCount ? 100 : 10
        }
    }

    private func addKeyBounds(_ terms: SearchTable, _ candidate: inout Candidate) {
        let key = SearchComponent(position: table.keyPosition)
        guard candidate.access != .key, !candidate.prefix.isCut, table.keyKind != .text, let asked = terms[key],
            asked.lower != nil || asked.upper != nil
        else { return }
        candidate.prefix.beginRowKey()
        addBounds(asked, key, &candidate)
    }

    /// A list that is far longer than the table: checking rows against it is better than searching for its values.
    private func isWorthListing(_ values: [StoredValue]) -> Bool {
        guard values.count > 1000, let rows = try? session.engine.count(in: table.keyspace) else { return true }
        return values.count / 4 <= rows
    }

    private func addList(
        _ values: [StoredValue], _ numbers: [Int], _ component: SearchComponent, _ candidate: inout Candidate
    ) {
        var isCut = false
        var ranges: [Plan.Range] = []
        ranges.reserveCapacity(values.count)
        for value in values where candidate.access != .key || value != .null {
            var one = candidate.prefix
            one.append(value, at: component.position)
            isCut = isCut || one.isCut
            ranges.append(one.range)
        }
        // Long values with the same beginning have one range.
        candidate.ranges = Plan.Range.merged(ranges)
        candidate.searched.formUnion(numbers)
        if !isCut { candidate.proven.formUnion(numbers) }
        candidate.words.append(.listed(component, values.count))
        candidate.isNarrowing = true
        candidate.score += candidate.access == .key ? 600 : 500
    }

    private func addBounds(_ asked: SearchTerms, _ component: SearchComponent, _ candidate: inout Candidate) {
        var range = candidate.prefix.notNullRange
        var isEmpty = false
        if let (bytes, isWhole, number) = asked.prefix {
            var one = candidate.prefix
            one.append(beginningOf: bytes)
            range = one.range
            candidate.searched.insert(number)
            if isWhole && !one.isCut { candidate.proven.insert(number) }
            candidate.words.append(.beginning(component))
            candidate.score += isWhole ? 250 : 220
        }
        if let (value, isInclusive, number) = asked.lower {
            var one = candidate.prefix
            one.append(value, at: component.position)
            let whole = one.range
            if isInclusive || one.isCut {
                range = range.intersected(with: Plan.Range(lower: whole.lower, upper: nil))
            } else if let after = whole.upper {
                range = range.intersected(with: Plan.Range(lower: after, upper: nil))
            } else {
                isEmpty = true
            }
            candidate.searched.insert(number)
            if !one.isCut { candidate.proven.insert(number) }
            candidate.words.append(.bound(component, isInclusive ? .greaterOrEqual : .greater))
        }
        if let (value, isInclusive, number) = asked.upper {
            var one = candidate.prefix
            one.append(value, at: component.position)
            let upper = isInclusive || one.isCut ? one.range.upper : one.range.lower
            range = range.intersected(with: Plan.Range(lower: [], upper: upper))
            candidate.searched.insert(number)
            if !one.isCut { candidate.proven.insert(number) }
            candidate.words.append(.bound(component, isInclusive ? .lessOrEqual : .less))
        }
        // A range also proves `x != nil`.
        if candidate.prefix.hasRoom { candidate.proven.formUnion(asked.notNull) }
        candidate.ranges = isEmpty || range.isEmpty ? [] : [range]
        candidate.isNarrowing = true
        if asked.prefix == nil { candidate.score += asked.lower != nil && asked.upper != nil ? 300 : 200 }
    }

    private func isUnique(_ access: Plan.Access) -> Bool {
        switch access {
        case .key: true
        case .index(let number): table.indexes[number].isUnique
        }
    }
}
