/// One allocation of the tree: a leaf, a branch, or a large value that is stored outside its leaf.
///
/// ```
/// leaf, branch:  header | slot 0, slot 1, … > free < … entry, entry |          large value:  header | bytes
/// slot:          head of the key (8 bytes) | where its entry is (4) | length of the key (4)
/// leaf entry:    length of the value (4) | key | value, or the address of a large value (8)
/// branch entry:  address of the child (8) | key
/// ```
///
/// The slots are in the order of their keys, the entries in any order. A branch's child holds the keys at or after its
/// own slot's key and before the next slot's; the key of slot 0 is not used. Removing an entry leaves its bytes as
/// waste until the page is rebuilt. A page that must hold a longer key than fits its usual size is allocated larger.
///
/// Pages are addresses, not objects: walking a tree retains nothing. `PageWorkspace` describes who owns them and when
/// they are freed. A page that a commit has published is never written again.
struct TreePage: Equatable {
    let base: UnsafeMutableRawPointer

    struct Header {
        /// The time at which it was made. The writer may change it in place if that was after its innermost savepoint
        /// began.
        var stamp: UInt64
        /// Its index in the list of pages that the open write transaction has made.
        var freshIndex: Int
        /// The total number of bytes; for a large value, the number of its bytes.
        var capacity: Int
        /// 0 for a leaf, one more than the children's for a branch, `largeValue`.
        var level: Int32
        var count: Int32
        /// The offset of the entries.
        var entries: Int32
        /// The number of bytes among the entries that no slot needs any more.
        var waste: Int32
        /// The number of a leaf's values that are stored separately.
        var largeValues: Int32
    }

    struct Slot {
        var head: UInt64
        var offset: UInt32
        var keyCount: UInt32
    }

    static let headerSize = 48
    static let slotSize = 16
    static let largeValue: Int32 = -1
    /// Replaces the length of a value that is stored separately.
    static let outside = UInt32.max

    @inline(__always)
    var header: UnsafeMutablePointer<Header> { base.assumingMemoryBound(to: Header.self) }

    @inline(__always)
    var slots: UnsafeMutablePointer<Slot> { (base + TreePage.headerSize).assumingMemoryBound(to: Slot.self) }

    @inline(__always) var stamp: UInt64 { header.pointee.stamp }
    @inline(__always) var count: Int { Int(header.pointee.count) }
    @inline(__always) var isLeaf: Bool { header.pointee.level == 0 }

    /// The bytes before an entry's key.
    @inline(__always) var entryPrefix: Int { isLeaf ? 4 : 8 }

    /// The bytes between the slots and the entries.
    @inline(__always)
    var room: Int { Int(header.pointee.entries) - TreePage.headerSize - count * TreePage.slotSize }

    /// The bytes that a rebuilt copy would need.
    var used: Int { header.pointee.capacity - room - Int(header.pointee.waste) }

    @inline(__always)
    func key(_ index: Int) -> Key {
        let slot = slots[index]
        return Key(base + Int(slot.offset) + entryPrefix, Int(slot.keyCount), head: slot.head)
    }

    /// The bytes of the entry, without its slot.
    func entrySize(_ index: Int) -> Int {
        let slot = slots[index]
        guard isLeaf else { return 8 + Int(slot.keyCount) }
        let value = (base + Int(slot.offset)).loadUnaligned(as: UInt32.self)
        return 4 + Int(slot.keyCount) + (value == TreePage.outside ? 8 : Int(value))
    }
}

extension Key {
    @inline(__always)
    init(_ start: UnsafeRawPointer, _ count: Int, head: UInt64) {
        self.start = start
        self.count = count
        self.head = head
    }
}
