import GranaryStoreKit

/// One index in the form of the store: one entry for each row, with a key of the attributes' values and the row's key.
/// An index with a folding contains folded texts only.
final class TableIndex: Sendable {
    let name: String
    let keyspace: Keyspace
    let isUnique: Bool
    /// The folding of the texts; empty if no attribute is text.
    let folding: TextFolding
    let positions: ContiguousArray<Int>
    let kinds: ContiguousArray<ValueKind>
    let attributes: [String]
    /// The attributes in the form of the index.
    let components: [SearchComponent]
    let keyKind: Table.KeyKind
    /// Whether an entry's key may have been cut.
    let canBeCut: Bool

    init(_ index: Index, of entity: Entity, keyspace: Keyspace) {
        name = index.attributes.joined(separator: "_")
        attributes = index.attributes
        self.keyspace = keyspace
        isUnique = index.isUnique
        let values = IndexedValues(index, of: entity)
        positions = ContiguousArray(values.positions)
        kinds = ContiguousArray(positions.map { ValueKind(entity.attributes[$0].type) })
        let keyType = entity.attributes[entity.keyPosition].type
        keyKind = keyType == .int64 ? .int64 : keyType == .uuid ? .uuid : .text
        folding = values.isFolded ? index.folding : []
        components = zip(values.positions, values.foldings).map { SearchComponent(position: $0, folding: $1) }
        canBeCut = keyKind == .text || kinds.contains { $0.isVariable } || kinds.count * 17 > KeyFormat.indexPrefix
    }

    /// Writes an entry's key. `valueCount` is the length of its first part, to which uniqueness applies.
    ///
    /// - Throws: `corrupt` if a text that is folded is not UTF-8.
    @inline(__always)
    func encode(
        _ cells: UnsafeMutablePointer<Cell>, key: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawPointer
    ) throws -> (count: Int, valueCount: Int) {
        var encoder = KeyEncoder(buffer, limit: KeyFormat.indexPrefix)
        if folding.isEmpty {
            for component in 0..<positions.count {
                encoder.putTagged(cells[positions[component]], as: kinds[component])
            }
            if encoder.isCut { encoder.appendHash(hash(cells)) }
        } else {
            try encodeFolded(cells, into: &encoder)
        }
        let valueCount = encoder.count
        encoder.appendUnlimited(key)
        if keyKind == .text { encoder.appendUnlimited(byte: UInt8(truncatingIfNeeded: key.count)) }
        return (encoder.count, valueCount)
    }

    private func hash(_ cells: UnsafeMutablePointer<Cell>) -> (UInt64, UInt64) {
        var (first, second) = KeyFormat.hashSeeds
        for position in positions {
            first = chainedHash(cells[position], first)
            second = chainedHash(cells[position], second)
        }
        return (first, second)
    }

    /// Splits an entry's key into its value part and the row's key; nil if it is not the key of an entry.
    @inline(__always)
    func split(_ key: UnsafeRawBufferPointer) -> (value: UnsafeRawBufferPointer, rowKey: UnsafeRawBufferPointer)? {
        guard let base = key.baseAddress else { return nil }
        var end = key.count
        let length: Int
        switch keyKind {
        case .int64: length = 8
        case .uuid: length = 16
        case .text:
            guard end > 0 else { return nil }
            end &-= 1
            length = Int(base.load(fromByteOffset: end, as: UInt8.self))
        }
        guard length <= end else { return nil }
        return (
            UnsafeRawBufferPointer(start: base, count: end &- length),
            UnsafeRawBufferPointer(start: base + (end &- length), count: length)
        )
    }

    /// Whether the index constrains a row with these cells: true if ``IndexedValues/value(of:)`` is not nil.
    @inline(__always) func constrains(_ cells: UnsafeMutablePointer<Cell>) -> Bool {
        guard isUnique else { return false }
        for position in positions where cells[position].isNull { return false }
        return true
    }

    /// Whether two rows have the same values of the index, in the sense of ``IndexedValues/agree(_:_:)``.
    @inline(__always)
    func agree(_ left: UnsafeMutablePointer<Cell>, _ right: UnsafeMutablePointer<Cell>) throws -> Bool {
        for component in 0..<positions.count {
            let position = positions[component]
            if areSame(left[position], right[position]) { continue }
            guard !folding.isEmpty, try areSameFolded(left[position], right[position]) else { return false }
        }
        return true
    }
}
