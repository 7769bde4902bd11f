import GranaryCore

// What waits is bounded by what it takes in memory: tables with the room that they have for more, and what the entries have
// outside of them. A block of memory takes a few bytes more than what is in it.

extension Dictionary {
    /// How many bytes the table takes: a place for each entry that it has room for, and a third more that stays empty.
    var tableSize: Int { capacity * 4 / 3 * (MemoryLayout<Key>.stride + MemoryLayout<Value>.stride) }
}

/// The bytes of a block of memory that holds an array's elements, with its header.
private func block(_ bytes: Int) -> Int { bytes == 0 ? 0 : (bytes + 32 + 31) / 16 * 16 }

extension StoredValue {
    /// How many bytes it takes outside of itself.
    fileprivate var bytesOutside: Int {
        switch self {
        case .null, .integer, .real: 0
        case .text(let bytes), .bytes(let bytes): block(bytes.count)
        }
    }
}

extension NamedRecord {
    /// The positions are those of the entity's plan.
    fileprivate var bytesOutside: Int {
        values.reduce(block(values.count * MemoryLayout<StoredValue>.stride)) { $0 + $1.bytesOutside }
    }
}

extension WaitingReference {
    /// The first value of the name is within the entry.
    var bytesOutside: Int {
        let others = block((name.values.count - 1) * MemoryLayout<StoredValue>.stride)
        return name.values.reduce(owner.key.bytesOutside + others + place.bytesOutside) { $0 + $1.bytesOutside }
    }
}

extension WaitingList {
    var bytesOutside: Int {
        let own = block(MemoryLayout<WaitingList>.stride) + owner.key.bytesOutside + place.bytesOutside
        return members.reduce(own + block(members.count * MemoryLayout<NamedRecord>.stride)) { $0 + $1.bytesOutside }
    }
}

extension Unlisted {
    var bytesOutside: Int { owner.key.bytesOutside + member.key.bytesOutside + place.bytesOutside }
}

extension ImportedRelationship {
    /// How many bytes of memory it takes, about, with the objects that it is within.
    var size: Int {
        var bytes = MemoryLayout<ImportedRelationship>.stride + value.size
        var parent = place.parent
        while let object = parent {
            bytes += object.value.size
            parent = object.place.parent
        }
        return bytes
    }
}
