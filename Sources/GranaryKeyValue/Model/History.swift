import GranaryStoreKit

// An entry lies in keyspace 0 beside the store's other data about itself, under "history/" and the commit's number, 8
// bytes big-endian, so that entries are in the order of commits. A store without entries has no trace of a history. The
// value begins with its checksum, like all values there; then:
//
// | bytes | what |
// |---|---|
// | 1 | 1, the form of the following bytes |
// | 8 | the time: the bits of a double |
// | 4 | the length of the author's name; 2^32 - 1 if there is none |
// | n | the name, UTF-8 |
// | the rest | the changes |
//
// Numbers are little-endian.

/// The form of the history in the store.
enum History {
    static let prefix: [UInt8] = Array("history/".utf8)
    private static let form: UInt8 = 1
    private static let headerSize = 13
    private static let noAuthor = UInt32.max

    static func key(_ number: UInt64) -> [UInt8] { prefix + withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// The number in a key with the prefix of entries; nil if it has no number.
    static func number(_ key: UnsafeRawBufferPointer) -> UInt64? {
        guard key.count == prefix.count + 8 else { return nil }
        return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: prefix.count, as: UInt64.self))
    }

    static func bytes(_ entry: HistoryEntry) -> [UInt8] {
        let author = entry.author.map { Array($0.utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerSize + (author?.count ?? 0) + entry.changes.count)
        bytes.append(form)
        withUnsafeBytes(of: entry.time.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        let count = author.map { UInt32(truncatingIfNeeded: $0.count) } ?? noAuthor
        withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: author ?? [])
        bytes.append(contentsOf: entry.changes)
        return bytes
    }

    /// The entry under a key; nil if it is damaged in any way.
    static func entry(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> HistoryEntry? {
        guard let number = number(key), let bytes = Meta.payload(value, key: key), bytes.count >= headerSize,
            bytes[0] == form
        else { return nil }
        let time = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        let count = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 9, as: UInt32.self))
        var place = headerSize
        var author: String?
        if count != noAuthor {
            guard Int(count) <= bytes.count - place,
                let name = String(validating: bytes[place..<(place + Int(count))], as: UTF8.self)
            else { return nil }
            author = name
            place += Int(count)
        }
        return HistoryEntry(
            number: number, time: Double(bitPattern: time), author: author, changes: Array(bytes[place...]))
    }
}
