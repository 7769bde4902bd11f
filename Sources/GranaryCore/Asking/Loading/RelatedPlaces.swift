/// For each owner the positions of its related records in a batch, in order.
///
/// Two numbers for an owner, and one more for a record only if the records do not come owner by owner.
struct RelatedPlaces {
    private var runs: [Range<Int>] = []
    /// The positions that the runs are of; nil if these are the positions themselves.
    private var order: [Int]?

    /// No record for any owner.
    init(ownerCount: Int) { runs = Array(repeating: 0..<0, count: ownerCount) }

    /// At most one record for each owner.
    init(single: [Int?]) { runs = single.map { $0.map { $0..<$0 + 1 } ?? 0..<0 } }

    /// The records of each owner are those of a run of `order`.
    init(runs: [Range<Int>], of order: [Int]) {
        self.runs = runs
        self.order = order
    }

    /// Records that come owner by owner, in the order of the owners' keys.
    ///
    /// - Parameters:
    ///   - owners: The owner's key of each record.
    ///   - keys: The keys of the owners, in any order.
    init(owners: [StoredValue], of keys: [StoredValue]) {
        self.init(ownerCount: keys.count)
        var walk = OwnerWalk(keys)
        var (start, end) = (0, 0)
        while start < owners.count {
            repeat { end += 1 } while end < owners.count && owners[end] == owners[start]
            if let owner = owners[start].withCell({ walk.place(of: $0) }) { runs[owner] = start..<end }
            start = end
        }
        for (place, first) in walk.finished { runs[place] = runs[first] }
    }

    var count: Int { runs.count }
    var indices: Range<Int> { runs.indices }

    /// The number of records of an owner.
    func count(at owner: Int) -> Int { runs[owner].count }

    /// The position of an owner's first record.
    func first(at owner: Int) -> Int? { runs[owner].first.map { order?[$0] ?? $0 } }

    /// What a closure makes of the positions of an owner's records.
    func map<T>(at owner: Int, _ transform: (Int) throws -> T) rethrows -> [T] {
        guard let order else { return try runs[owner].map(transform) }
        return try order[runs[owner]].map(transform)
    }

    /// For each owner, what a closure makes of the positions of its records.
    func mapped<T>(_ transform: (Int) throws -> T) rethrows -> [[T]] {
        try indices.map { try map(at: $0, transform) }
    }
}

/// Finds the owners of rows that come in the order of their owners' keys.
struct OwnerWalk {
    private let keys: [StoredValue]
    /// The positions in `keys` by ascending key; nil if `keys` is ascending already.
    private let order: [Int]?
    private var next = 0
    /// Positions of repeated keys, each with the first position of the same key.
    private var repeated: [(place: Int, first: Int)] = []

    init(_ keys: [StoredValue]) {
        self.keys = keys
        guard !keys.isAscending else {
            order = nil
            return
        }
        let order = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
        self.order = order
        var first = order.first ?? 0
        for place in order.dropFirst() {
            if keys[place] == keys[first] { repeated.append((place, first)) } else { first = place }
        }
    }

    /// Positions of repeated keys, each with the first position of the same key, which has got the key's rows.
    var finished: [(place: Int, first: Int)] { repeated }

    /// The first position of the owner's key; nil if the owner is not among the keys. Calls must pass owners in
    /// ascending order.
    mutating func place(of owner: Cell) -> Int? {
        while next < keys.count {
            let place = order?[next] ?? next
            let difference = keys[place].withCell { compare($0, owner) }
            if difference == 0 { return place }
            if difference > 0 { return nil }
            next += 1
        }
        return nil
    }
}
