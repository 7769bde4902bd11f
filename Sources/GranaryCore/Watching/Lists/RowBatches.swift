/// The batches of records that a list holds. When it holds enough, the one that was asked for longest ago goes.
struct RowBatches<Output: Sendable> {
    /// The greatest number of batches that are held.
    static var limit: Int { 16 }

    let size: Int
    let reading: RowReading<Output>
    /// The last used batch is the last one.
    private var held: [Batch] = []

    private struct Batch {
        let place: Place
        let records: [Output?]
    }

    /// A part of a section: `items.lowerBound` is a multiple of the size. Without sections of their own, batches are
    /// parts of the whole list, as of one section 0.
    struct Place: Hashable {
        let section: Int
        let items: Range<Int>
    }

    init(size: Int, _ reading: RowReading<Output>) {
        self.size = size
        self.reading = reading
    }

    /// The number of records that are held.
    var count: Int { held.reduce(0) { $0 + $1.records.count } }

    /// The batch with a record, and the record's place in it.
    func place(of path: FetchedPath, in rows: FetchedRows<Output>) -> (batch: Place, item: Int)? {
        guard rows.sections.indices.contains(path.section) else { return nil }
        let range = rows.sections[path.section].range
        guard path.item >= 0, path.item < range.count else { return nil }
        let section = reading.isBySection ? path.section : 0
        let end = reading.isBySection ? range.count : rows.count
        let item = reading.isBySection ? path.item : range.lowerBound + path.item
        let start = item - item % size
        return (Place(section: section, items: start..<min(end, start + size)), item - start)
    }

    mutating func records(_ place: Place) -> [Output?]? {
        guard let index = held.lastIndex(where: { $0.place == place }) else { return nil }
        let batch = held.remove(at: index)
        held.append(batch)
        return batch.records
    }

    mutating func hold(_ records: [Output?], _ place: Place) {
        held.removeAll { $0.place == place }
        held.append(Batch(place: place, records: records))
        if held.count > RowBatches.limit { held.removeFirst() }
    }

    mutating func removeAll() { held = [] }
}
