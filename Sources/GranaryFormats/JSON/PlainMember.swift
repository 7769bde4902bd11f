/// A member of an object, or an element of an array, whose value is neither an array nor an object.
///
/// Its texts lie in the reader's window: they are valid until the reader goes on.
package struct PlainMember {
    package enum Kind {
        case null, `false`, `true`, integer, number, string
    }

    /// The place of the key among the known keys of objects at this depth, which never changes; -1 for an element.
    package let keyNumber: Int
    package let key: UnsafeRawBufferPointer
    package let kind: Kind
    /// A string without its quotes, or a number as it is written.
    package let text: UnsafeRawBufferPointer
    /// The integer, or, for another number, the bits of the double nearest to it.
    package let content: Int64
}

/// Memory for the members that one call of `takePlain` returns.
struct PlainMembers: ~Copyable {
    static let capacity = 64

    let start = UnsafeMutablePointer<PlainMember>.allocate(capacity: PlainMembers.capacity)

    // Members are plain values: they need no deinitialization.
    deinit { start.deallocate() }
}
