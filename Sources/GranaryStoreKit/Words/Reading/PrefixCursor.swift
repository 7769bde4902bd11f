/// The documents that have at least one of several terms, with the places of all of them: a merge of their cursors.
final class PrefixCursor<Key: DocumentKey> {
    /// A heap: the first one has the least key, and each has a key at or after its parent's. Those at the end are gone.
    @exclusivity(unchecked) private var heap: [TermCursor<Key>]
    @exclusivity(unchecked) private var places: [UInt64] = []
    @exclusivity(unchecked) private var stack: [Int] = []
    let estimate: Int
    /// The key of the first cursor, before it moves.
    @exclusivity(unchecked) private(set) var key = Key.origin

    init(_ cursors: [TermCursor<Key>]) {
        heap = cursors.filter { !$0.isAtEnd }
        estimate = cursors.reduce(0) { $0 + $1.documents }
        for place in heap.indices.reversed() { sink(place) }
        if let first = heap.first { key = first.key }
    }

    var isAtEnd: Bool { heap.isEmpty }
    var length: Int { heap.first?.length ?? 0 }

    func next() throws {
        let last = key
        try move { cursor in
            guard cursor.key == last else { return false }
            try cursor.next()
            return true
        }
    }

    func seek(atOrAfter target: Key) throws {
        try move { cursor in
            guard cursor.key < target else { return false }
            try cursor.seek(atOrAfter: target)
            return true
        }
    }

    /// Moves the first cursor as long as the closure says that it moved it.
    private func move(_ body: (TermCursor<Key>) throws -> Bool) throws {
        while let first = heap.first, try body(first) {
            if first.isAtEnd {
                let last = heap.removeLast()
                if heap.isEmpty { return }
                heap[0] = last
            }
            sink(0)
        }
        if let first = heap.first { key.copy(first.key) }
    }

    private func sink(_ start: Int) {
        var parent = start
        let moved = heap[start]
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].key < heap[child].key { child += 1 }
            guard heap[child].key < moved.key else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = moved
    }

    func count(_ weights: SlotWeights) throws -> Double {
        if isAlone, let first = heap.first { return try first.count(weights) }
        places.removeAll(keepingCapacity: true)
        try appendPlaces(to: &places)
        return places.reduce(0) { $0 + weights[$1] }
    }

    /// Whether only the first cursor is at the key.
    private var isAlone: Bool {
        (heap.count < 2 || heap[1].key != key) && (heap.count < 3 || heap[2].key != key)
    }

    func appendPlaces(to places: inout [UInt64]) throws {
        let start = places.count
        stack.append(0)
        // The cursors at the key are a tree at the root of the heap.
        while let place = stack.popLast() {
            guard place < heap.count, heap[place].key == key else { continue }
            try heap[place].appendPlaces(to: &places)
            stack.append(2 * place + 1)
            stack.append(2 * place + 2)
        }
        places[start...].sort()
        var end = start
        for index in start..<places.count where index == start || places[index] != places[end - 1] {
            places[end] = places[index]
            end += 1
        }
        places.removeSubrange(end...)
    }
}
