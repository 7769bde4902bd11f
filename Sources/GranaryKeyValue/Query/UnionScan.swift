import GranaryStoreKit

// The keys that several scans find are collected, sorted and returned once each. Nothing is copied: a key stays in the
// engine's memory until the transaction's next write.

/// The rows that any of several scans finds, each once, by key.
final class UnionScan {
    /// The first 8 bytes of a key, which decide most comparisons, and its address.
    private struct Place {
        var leading: UInt64
        var key: UnsafeRawBufferPointer
        var scan: Int
    }

    private let plan: Plan
    private let engine: any KeyValueReader
    private let cancellation: CancellationFlag?
    private let keysOnly: Bool
    private var places: ContiguousArray<Place> = []
    private var next = 0
    private var isGathered = false

    init(_ plan: Plan, _ engine: any KeyValueReader, _ cancellation: CancellationFlag?, keysOnly: Bool) {
        self.plan = plan
        self.engine = engine
        self.cancellation = cancellation
        self.keysOnly = keysOnly
    }

    func advance() throws -> KeyValueEntry? {
        if !isGathered { try gather() }
        guard next < places.count else { return nil }
        let place = places[plan.isReverse ? places.count - 1 - next : next]
        next += 1
        if keysOnly {
            return KeyValueEntry(key: place.key, value: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        guard let row = try engine.get(place.key, in: plan.table.keyspace) else { throw outOfStep(place) }
        return KeyValueEntry(key: place.key, value: row)
    }

    private func gather() throws {
        isGathered = true
        var gathered: ContiguousArray<Place> = []
        for (number, scan) in plan.union.enumerated() {
            let entries = try EntryScan(
                plan.table.keyspace(scan.access), scan.ranges, isReverse: false, engine, cancellation, nil)
            while let entry = try entries.advance() {
                let key = try rowKey(entry, scan)
                gathered.append(Place(leading: leadingNumber(key), key: key, scan: number))
            }
        }
        gathered.sort { left, right in
            left.leading != right.leading ? left.leading < right.leading : compareBytes(left.key, right.key) < 0
        }
        var kept = 0
        for index in gathered.indices {
            if kept > 0, areEqual(gathered[kept - 1].key, gathered[index].key) { continue }
            gathered[kept] = gathered[index]
            kept += 1
        }
        gathered.removeLast(gathered.count - kept)
        places = gathered
    }

    private func rowKey(_ entry: KeyValueEntry, _ scan: Plan.Scan) throws -> UnsafeRawBufferPointer {
        guard case .index(let number) = scan.access else { return entry.key }
        let index = plan.table.indexes[number]
        guard let (_, key) = index.split(entry.key), !key.isEmpty else { throw index.outOfStep(plan.table) }
        return key
    }

    private func outOfStep(_ place: Place) -> GranaryError {
        if case .index(let number) = plan.union[place.scan].access {
            return plan.table.indexes[number].outOfStep(plan.table)
        }
        return plan.table.layout.damaged()
    }
}
