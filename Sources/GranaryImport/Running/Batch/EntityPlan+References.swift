import GranaryCore

// The references of a row to other rows of the batch are a chain: each has the number of the next one.

extension EntityPlan {
    /// The numbers of a row's references among those of all rows.
    struct ReferenceNumbers: Sequence, IteratorProtocol {
        fileprivate let plan: EntityPlan
        fileprivate var number: Int?

        mutating func next() -> Int? {
            defer { number = number.flatMap { plan.references[$0].next } }
            return number
        }
    }

    @inline(__always)
    func references(of row: Int) -> ReferenceNumbers {
        ReferenceNumbers(plan: self, number: rows[row].references?.first)
    }

    /// The number of the reference that a row has for an attribute; nil if there is none.
    func referenceNumber(at position: Int, of row: Int) -> Int? {
        var next = rows[row].references?.first
        while let number = next {
            if references[number].position == position { return number }
            next = references[number].next
        }
        return nil
    }

    /// The reference that a row has for an attribute; nil if there is none.
    func reference(at position: Int, of row: Int) -> StagedReference? {
        referenceNumber(at: position, of: row).map { references[$0] }
    }

    /// Adds to the references of a row.
    func add(_ reference: StagedReference, to row: Int) {
        let number = references.count
        references.append(reference)
        if let chain = rows[row].references {
            references[chain.last].next = number
            rows[row].references = (chain.first, number)
        } else {
            rows[row].references = (number, number)
        }
    }

    /// Forgets what an attribute referred to: the object came before, and this is the last that is said of it.
    func unrefer(_ position: Int, of row: Int) {
        guard rows[row].references != nil else { return }
        let kept = references(of: row).filter { references[$0].position != position }
        for (index, number) in kept.enumerated() {
            references[number].next = index + 1 < kept.count ? kept[index + 1] : nil
        }
        rows[row].references = kept.first.flatMap { first in kept.last.map { (first, $0) } }
    }

    /// Forgets what one row refers to where another one, which comes later, says anything of it.
    func overrule(_ first: Int, by second: Int) {
        guard rows[first].references != nil else { return }
        for position in referring where stage.isGiven(second, position) { unrefer(position, of: first) }
        guard second < rows.count else { return }
        for number in references(of: second) { unrefer(references[number].position, of: first) }
    }

    /// The place in the batch of the object that says something of a reference; nil if none does.
    func itemSaying(_ position: Int, of row: Int) -> Int? {
        reference(at: position, of: row)?.item ?? (stage.isGiven(row, position) ? rows[row].item : nil)
    }

    /// Makes two rows one. What the second one is given comes after what the first one is.
    func merge(_ second: Int, into first: Int) {
        let (late, row) = (rows[second], rows[first])
        overrule(first, by: second)
        stage.merge(second, into: first)
        rows[second].mergedInto = first
        if let existing = late.existing {
            rows[first].existing = existing
            rows[first].key = late.key
        }
        if late.isKept { rows[first].isKept = true }
        if late.makesStub { rows[first].makesStub = true }
        if !late.isNamedOnly {
            if row.isNamedOnly {
                rows[first].take(late)
            } else {
                for item in [late.item] + late.moreItems { rows[first].add(item) }
                if let value = late.value { rows[first].value = value }
            }
        }
        guard let chain = late.references else { return }
        if let earlier = rows[first].references {
            references[earlier.last].next = chain.first
            rows[first].references = (earlier.first, chain.last)
        } else {
            rows[first].references = chain
        }
    }
}
