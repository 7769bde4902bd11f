/// What a posting says about its document, after the key: the length of the document in words, and the places of the
/// term.
///
/// | number after the length | places |
/// |---|---|
/// | `position << 1` | one place in slot 0 |
/// | `position << 2 \| 3`, slot | one place in another slot |
/// | `bytes << 2 \| 1`, list of so many bytes | several |
///
/// The list has for each place the difference from the last position of the slot (from -1 for the first). A 0 and a
/// slot's number go before the first place of each slot but slot 0.
struct PostingBody {
    private(set) var length = 0
    /// The place if there is only one: see ``place(slot:position:)``. Otherwise nil.
    private(set) var single: UInt64? = 0
    private(set) var list: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)

    /// A slot and a position as one number, so that neighbours in a slot differ by 1 and slots are far from each other.
    @inline(__always) static func place(slot: Int, position: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: slot) << 32 | UInt64(truncatingIfNeeded: position)
    }

    static let greatestPosition = 1 << 31 - 1
    static let greatestSlot = 1 << 16 - 1

    @inline(__always) init(_ reader: inout BlockBytes) throws {
        length = try reader.smallVarint()
        let head = try reader.varint()
        if head & 1 == 0 {
            guard head >> 1 <= UInt64(PostingBody.greatestPosition) else {
                throw WordIndexError.corrupt("a position is too large")
            }
            single = head >> 1
        } else if head & 3 == 3 {
            let slot = try reader.smallVarint()
            guard head >> 2 <= UInt64(PostingBody.greatestPosition), slot <= PostingBody.greatestSlot else {
                throw WordIndexError.corrupt("a position is too large")
            }
            single = UInt64(slot) << 32 | head >> 2
        } else {
            single = nil
            let start = reader.offset
            try reader.skip(head >> 2)
            list = reader.bytes.part(start..<reader.offset)
        }
    }

    init() {}

    /// Passes a body without looking at it.
    @inline(__always) static func skip(_ reader: inout BlockBytes) throws {
        _ = try reader.varint()
        let head = try reader.varint()
        if head & 1 == 0 { return }
        if head & 3 == 3 { _ = try reader.varint() } else { try reader.skip(head >> 2) }
    }

    /// Calls the closure with each place, in ascending order.
    @inline(__always) func eachPlace(_ body: (UInt64) throws -> Void) throws {
        if let single { return try body(single) }
        var reader = BlockBytes(list)
        var slot = 0
        var position = -1
        while !reader.isAtEnd {
            let difference = try reader.smallVarint()
            if difference > 0 {
                position += difference
                guard position <= PostingBody.greatestPosition else {
                    throw WordIndexError.corrupt("a position is too large")
                }
                try body(PostingBody.place(slot: slot, position: position))
            } else {
                let next = try reader.smallVarint()
                guard next > slot, next <= PostingBody.greatestSlot else {
                    throw WordIndexError.corrupt("slots do not ascend")
                }
                (slot, position) = (next, -1)
            }
        }
    }

    /// The number of places; damaged lists give some number.
    var count: Int {
        if single != nil { return 1 }
        var count = 0
        try? eachPlace { _ in count += 1 }
        return count
    }

    /// Appends a body.
    /// - Parameter places: At least one, ascending, without doubles.
    static func append(length: Int, places: [UInt64], to bytes: inout [UInt8], scratch: inout [UInt8]) {
        bytes.appendVarint(length)
        if places.count == 1, let place = places.first {
            let slot = place >> 32
            let position = place & UInt64(UInt32.max)
            if slot == 0 {
                bytes.appendVarint(position << 1)
            } else {
                bytes.appendVarint(position << 2 | 3)
                bytes.appendVarint(slot)
            }
            return
        }
        scratch.removeAll(keepingCapacity: true)
        var slot: UInt64 = 0
        var next: UInt64 = 0
        for place in places {
            if place >> 32 != slot {
                slot = place >> 32
                next = slot << 32
                scratch.append(0)
                scratch.appendVarint(slot)
            }
            scratch.appendVarint(place &+ 1 &- next)
            next = place + 1
        }
        bytes.appendVarint(scratch.count << 2 | 1)
        bytes.append(contentsOf: scratch)
    }
}
