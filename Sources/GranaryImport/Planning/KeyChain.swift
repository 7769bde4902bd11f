import GranaryPlatform

/// The keys of objects that were read, each with what it means and with the key that came after it the last time.
///
/// The objects of a source mostly have the same keys in the same order: the next key is compared with one, and no string is
/// made of it.
struct KeyChain {
    private struct Link {
        let key: [UInt8]
        let slot: EntityPlan.Slot
        /// The link of the key that came next; 0 if none did.
        var next = 0
    }

    private static let capacity = 256

    /// The first stands for the beginning of an object.
    private var links = [Link(key: [], slot: .unknown)]
    private var numbers: [[UInt8]: Int] = [:]

    /// What a key means that comes after another one.
    ///
    /// - Parameters:
    ///   - last: The link of the other one, which becomes that of the key; 0 at the beginning of an object.
    ///   - meaning: Tells what a key means that is not known yet.
    mutating func slot(
        of key: UnsafeRawBufferPointer, after last: inout Int, otherwise meaning: (String) -> EntityPlan.Slot
    ) -> EntityPlan.Slot {
        let next = links[last].next
        guard next != 0, KeyChain.isSame(links[next].key, key) else {
            return unexpected(key, after: &last, otherwise: meaning)
        }
        last = next
        return links[next].slot
    }

    @inline(never)
    private mutating func unexpected(
        _ key: UnsafeRawBufferPointer, after last: inout Int, otherwise meaning: (String) -> EntityPlan.Slot
    ) -> EntityPlan.Slot {
        let bytes = Array(key)
        if let number = numbers[bytes] {
            links[last].next = number
            last = number
            return links[number].slot
        }
        let slot = meaning(String(decoding: key, as: UTF8.self))
        // A source may have any number of keys.
        guard links.count <= KeyChain.capacity else { return slot }
        links[last].next = links.count
        last = links.count
        numbers[bytes] = last
        links.append(Link(key: bytes, slot: slot))
        return slot
    }

    @inline(__always)
    private static func isSame(_ known: [UInt8], _ key: UnsafeRawBufferPointer) -> Bool {
        guard known.count == key.count, let start = key.baseAddress else { return known.isEmpty && key.isEmpty }
        return known.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, key.count) == 0 }
    }
}
