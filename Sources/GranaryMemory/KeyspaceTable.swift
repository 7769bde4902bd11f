internal import GranaryCore
internal import GranaryKeyValue

/// Where the tree of each prepared keyspace is in a state. Never changed; ``MemoryEngine/prepare(keyspaces:)`` makes another.
final class KeyspaceTable: Sendable {
    /// In the order of the trees: a keyspace keeps its place when others are added.
    private let numbers: [UInt32]
    private let places: [UInt32: Int]

    init(_ numbers: [UInt32]) {
        self.numbers = numbers
        var places: [UInt32: Int] = [:]
        for (place, number) in numbers.enumerated() { places[number] = place }
        self.places = places
    }

    var count: Int { numbers.count }

    /// This table with the keyspaces that it lacks added at the end, or nil if it lacks none.
    func adding(_ keyspaces: [Keyspace]) -> KeyspaceTable? {
        var all = numbers
        for keyspace in keyspaces where !all.contains(keyspace.number) { all.append(keyspace.number) }
        return all.count == numbers.count ? nil : KeyspaceTable(all)
    }

    func place(of keyspace: Keyspace) throws -> Int {
        // Most callers number their keyspaces from 0 or 1 on.
        let guess = Int(keyspace.number)
        if guess < numbers.count && numbers[guess] == keyspace.number { return guess }
        if guess > 0 && guess <= numbers.count && numbers[guess - 1] == keyspace.number { return guess - 1 }
        guard let place = places[keyspace.number] else {
            throw GranaryError(
                .unknownEntity,
                "Keyspace \(keyspace.number) does not exist; pass it to prepare(keyspaces:) before using it.")
        }
        return place
    }
}
