import GranaryStoreKit

extension KeyValueSession: RelatedRows {
    func entity(at position: Int) throws -> Entity { try base.table(position).entity }

    func lookup(of entity: Int) throws -> any RowLookup { KeyLookup(self, try base.table(entity)) }

    func referrers(of entity: Int, by position: Int) throws -> any ReferringRows {
        let table = try base.table(entity)
        guard let number = table.index(beginningWith: position) else {
            return ScannedReferrers(self, table, position)
        }
        return try IndexedReferrers(self, table, table.indexes[number], position)
    }

    func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws {
        let cursor = try rows(request)
        while let row = try cursor.next() { try body(row[0]) }
    }
}

extension Table {
    /// The number of the smallest index whose entries begin with an attribute's values unfolded.
    func index(beginningWith position: Int) -> Int? {
        indexes.indices.filter { indexes[$0].components.first == SearchComponent(position: position) }
            .min { indexes[$0].positions.count < indexes[$1].positions.count }
    }
}
