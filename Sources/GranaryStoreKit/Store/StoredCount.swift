/// The numbers that a store increments and keeps: of its commits, of changes of its schema, of generations of its
/// files.
package enum StoredCount {
    /// No store counts this far: a greater number is damage, and is refused when it is read. So adding one to a number
    /// that was read cannot overflow.
    package static let limit: UInt64 = 1 << 62

    /// The number of the commit after `number`.
    ///
    /// - Throws: `corrupt` if `number` is out of range.
    package static func next(after number: UInt64) throws(GranaryError) -> UInt64 {
        guard number < limit else { throw damaged(number) }
        return number + 1
    }

    /// - Throws: `corrupt` if the number is greater than any store's.
    package static func check(_ number: UInt64) throws(GranaryError) {
        guard number <= limit else { throw damaged(number) }
    }

    private static func damaged(_ number: UInt64) -> GranaryError {
        .damaged("The number of the last commit, \(number),")
    }
}
