import GranaryStoreKit
import GranaryKeyValue

/// The position of each prepared keyspace's tree in a state. Never changed; ``MemoryEngine/prepare(keyspaces:)`` makes
/// a new one.
// @unchecked: `numbers` is memory of the table's own, written only while the table is made.
final class KeyspaceTable: @unchecked Sendable {
    /// In the order of the trees: a keyspace keeps its position when others are added.
    let numbers: UnsafeMutablePointer<UInt32>
    let count: Int
    private let places: [UInt32: Int]

    init(_ numbers: [UInt32]) {
        count = numbers.count
        self.numbers = .allocate(capacity: max(1, count))
        var places: [UInt32: Int] = [:]
        for (place, number) in numbers.enumerated() {
            (self.numbers + place).initialize(to: number)
            places[number] = place
        }
        self.places = places
    }

    deinit {
        numbers.deallocate()
    }

    /// This table with missing keyspaces added at the end, or nil if none is missing.
    func adding(_ keyspaces: [Keyspace]) -> KeyspaceTable? {
        var all = Array(UnsafeBufferPointer(start: numbers, count: count))
        for keyspace in keyspaces where !all.contains(keyspace.number) { all.append(keyspace.number) }
        return all.count == count ? nil : KeyspaceTable(all)
    }

    func place(of keyspace: Keyspace) throws -> Int {
        guard let place = places[keyspace.number] else {
            throw GranaryError(
                .unknownEntity,
                "Keyspace \(keyspace.number) does not exist; pass it to prepare(keyspaces:) before using it.")
        }
        return place
    }
}
