import GranaryPlatform

/// The number of rows of a state that name each file.
struct ExternalUses {
    /// The number of the last commit of that state.
    var number: UInt64
    private(set) var counts: [SHA256: Int] = [:]

    var files: Set<SHA256> { Set(counts.keys) }

    func contains(_ file: SHA256) -> Bool { counts[file] != nil }

    mutating func change(_ file: SHA256, by difference: Int) {
        let count = counts[file, default: 0] + difference
        counts[file] = count > 0 ? count : nil
    }

    /// Counts the names in all rows. Cost: reads the external attributes of all rows, without their files.
    init(_ reader: any StoreReader) throws {
        number = reader.transactionNumber
        try reader.forEachExternalReference { _, _, _, reference in change(reference.digest, by: 1) }
    }
}

extension StoreReader {
    /// Calls a closure with each reference to a file, for a reader that does not load the files.
    func forEachExternalReference(
        _ body: (_ entity: Int, _ position: Int, _ key: Cell, ExternalReference) throws -> Void
    ) throws {
        for number in schema.entities.indices {
            try forEachExternalRow(of: number) { key, references in
                for (position, reference) in references { try body(number, position, key, reference) }
            }
        }
    }

    /// Calls a closure with the references of each row of an entity with external attributes.
    func forEachExternalRow(
        of number: Int, _ body: (_ key: Cell, [(position: Int, reference: ExternalReference)]) throws -> Void
    ) throws {
        let entity = schema.entities[number]
        let positions = entity.externalPositions
        if positions.isEmpty { return }
        var request = FetchRequest(entity: number)
        request.columns = ([entity.keyPosition] + positions).map { position in
            let attribute = entity.attributes[position]
            return TypedExpression(.attribute(position), attribute.type, isOptional: attribute.isOptional)
        }
        let rows = try rows(request)
        defer { withExtendedLifetime(rows) {} }
        var references: [(position: Int, reference: ExternalReference)] = []
        while let row = try rows.next() {
            references.removeAll(keepingCapacity: true)
            for (column, position) in positions.enumerated() {
                if let reference = ExternalReference(row[column + 1]) { references.append((position, reference)) }
            }
            try body(row[0], references)
        }
    }
}
