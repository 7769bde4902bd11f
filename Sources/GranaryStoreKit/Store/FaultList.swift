/// The faults that a check finds: the first ones, one line each, and the number of further ones. A damaged store may
/// have one in every row.
package struct FaultList {
    /// The greatest number of listed faults.
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

    /// The listed faults, and a line with the number of the others.
    package var lines: [String] { more == 0 ? first : first + ["\(more) more faults."] }
}
