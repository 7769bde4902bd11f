import GranaryPlatform

/// The keys of objects that were read, each with its meaning and with the key that followed it the last time.
///
/// The objects of a source mostly have the same keys in the same order. So the next key is compared with only one key,
/// and no string is made of it.
struct KeyChain: Sendable {
    private struct Link {
        /// The beginning of the key in `bytes`.
        let start: Int
        let count: Int
        let slot: EntityPlan.Slot
        /// The link of the key that followed; 0 if none did.
        var next = 0
    }

    private static let capacity = 10_000

    private let meanings: KeyMeanings
    /// The first link stands for the beginning of an object.
    private var links = [Link(start: 0, count: 0, slot: .unknown)]
    /// The keys, one after the other.
    private var bytes: [UInt8] = []
    private var numbers: [[UInt8]: Int] = [:]

    init(_ meanings: KeyMeanings) { self.meanings = meanings }

    /// The meaning of a key at any place.
    func meaning(of key: String) -> EntityPlan.Slot { meanings.slot(of: key) }

    /// The meaning of a key that follows another one.
    ///
    /// - Parameter last: The link of the previous key, replaced by the link of this key; 0 at the beginning of an
    ///   object.
    @inline(__always)
    mutating func slot(of key: UnsafeRawBufferPointer, after last: inout Int) -> EntityPlan.Slot {
        let next = links[last].next
        guard next != 0, isKey(of: next, key) else { return unexpected(key, after: &last) }
        last = next
        return links[next].slot
    }

    @inline(never)
    private mutating func unexpected(_ key: UnsafeRawBufferPointer, after last: inout Int) -> EntityPlan.Slot {
        let copy = Array(key)
        if let number = numbers[copy] {
            links[last].next = number
            last = number
            return links[number].slot
        }
        let slot = meanings.slot(of: String(decoding: key, as: UTF8.self))
        // A source may have any number of keys.
        guard links.count <= KeyChain.capacity else { return slot }
        links[last].next = links.count
        last = links.count
        numbers[copy] = last
        links.append(Link(start: bytes.count, count: copy.count, slot: slot))
        bytes += copy
        return slot
    }

    @inline(__always)
    private func isKey(of link: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        let (start, count) = (links[link].start, links[link].count)
        guard count == key.count, let other = key.baseAddress else { return count == key.count }
        return bytes.withUnsafeBytes { known in
            guard let known = known.baseAddress else { return count == 0 }
            return KeyChain.areSame(known + start, other, count)
        }
    }

    /// Most keys are so short that a call takes longer than the comparison. The first bytes and the last ones, which
    /// may overlap, are compared as numbers.
    @inline(__always)
    private static func areSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        switch count {
        case 8...16:
            let last = count - 8
            return left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
                && left.loadUnaligned(fromByteOffset: last, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: last, as: UInt64.self)
        case 4...7:
            let last = count - 4
            return left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
                && left.loadUnaligned(fromByteOffset: last, as: UInt32.self)
                    == right.loadUnaligned(fromByteOffset: last, as: UInt32.self)
        case 2...3:
            let last = count - 2
            return left.loadUnaligned(as: UInt16.self) == right.loadUnaligned(as: UInt16.self)
                && left.loadUnaligned(fromByteOffset: last, as: UInt16.self)
                    == right.loadUnaligned(fromByteOffset: last, as: UInt16.self)
        default: return memcmp(left, right, count) == 0
        }
    }
}
