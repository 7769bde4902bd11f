/// What a check finds: the first faults, a line each, and how many more there are. A damaged store may have one in every row.
package struct FaultList {
    /// How many faults are listed.
    package static let limit = 100

    private var first: [String] = []
    private var more = 0

    package init() {}

    package var isEmpty: Bool { first.isEmpty }

    package mutating func append(_ fault: String) {
        if first.count < FaultList.limit { first.append(fault) } else { more += 1 }
    }

    /// Appends a fault unless it is listed already.
    package mutating func appendOnce(_ fault: String) {
        if !first.contains(fault) { append(fault) }
    }

    /// The faults that are listed, and a line that counts the others.
    package var lines: [String] { more == 0 ? first : first + ["\(more) more faults."] }
}
