// The links of an ordered many-to-many relationship hold their places as numbers with gaps between them, so that a record
// that is put between two others gets a number between theirs and no other link is written. A gap of 2^16 has room for 16
// records that are all put at the same place. When it is used up, a few of the following links are given new numbers
// (`LinkEditor+Gaps`).
//
// Two contexts that put records at one place choose the same number, and `ListMerger` then makes one order. It must know
// which records were added at the end, as those come last. So a number that is a multiple of `step` means "added at the
// end", and every other record gets a number that is no multiple as long as its gap has another one.
//
// Attributes that `orderedBy:` names are not numbered in this way: a record type shows them to its users, as the number of
// a track, so they count 0, 1, 2.

/// The numbers that the links of an ordered many-to-many relationship get as their places.
package enum ListPlaces {
    /// The distance between records that are added at the end.
    package static let step: Int64 = 1 << 16

    /// Whether a place is one of those that `after` gives.
    static func isAtEnd(_ place: Int64) -> Bool { place % step == 0 }

    /// The place at the end; nil if no number is left for it and for `count - 1` further ones.
    static func after(_ last: Int64?, count: Int = 1) -> Int64? {
        guard let last else { return 0 }
        guard last < .max - step * 2, Int64(count) <= (.max - max(last, 0)) / step - 2 else { return nil }
        return (last / step + (last < 0 && last % step != 0 ? 0 : 1)) * step
    }

    /// Places in front of `first`, ascending; nil if no numbers are left.
    static func before(_ first: Int64, count: Int = 1) -> [Int64]? {
        guard first > .min + step * 2, Int64(count) <= min(first, 0) / step - .min / step - 2 else { return nil }
        let last = isAtEnd(first) ? first - step / 2 : first - step
        return (0..<count).map { last - Int64(count - 1 - $0) * step }
    }

    /// Places between two others, evenly distributed; nil if there are not enough numbers between them.
    static func between(_ first: Int64, _ last: Int64, count: Int = 1) -> [Int64]? {
        guard first < last else { return nil }
        let (distance, parts) = (UInt64(bitPattern: last &- first), UInt64(count) + 1)
        guard distance >= parts else { return nil }
        return (1..<parts).map { part in
            let offset = parts.dividingFullWidth(distance.multipliedFullWidth(by: part)).quotient
            let place = first &+ Int64(bitPattern: offset)
            return isAtEnd(place) && distance / parts > 1 ? place + 1 : place
        }
    }

    /// Places for records in a new order, of which some have a place already. The most that can keep their places do.
    ///
    /// - Parameter current: The present place of each record, in the new order; nil for a record without one.
    /// - Returns: Places that ascend.
    static func arranged(_ current: [Int64?]) -> [Int64] {
        var kept: [Int] = []
        for place in ListDifference.longestIncreasing(current.compactMap { $0.map { Int($0) } }) {
            guard let index = current[((kept.last ?? -1) + 1)...].firstIndex(of: Int64(place)) else { break }
            kept.append(index)
        }
        var places: [Int64] = []
        var previous: Int64?
        for end in kept.map(Optional.some) + [nil] {
            let count = (end ?? current.count) - places.count
            let following = end.flatMap { current[$0] }
            guard count == 0 || append(count, previous, following) else {
                return current.indices.map { Int64($0) * step }
            }
            if let following { places.append(following) }
            previous = following
        }
        return places

        func append(_ count: Int, _ previous: Int64?, _ following: Int64?) -> Bool {
            let new: [Int64]? =
                switch (previous, following) {
                case (let previous?, let following?): between(previous, following, count: count)
                case (nil, let following?): before(following, count: count)
                case (_, nil):
                    after(previous, count: count).map { first in (0..<count).map { first + Int64($0) * step } }
                }
            guard let new else { return false }
            places += new
            return true
        }
    }
}
