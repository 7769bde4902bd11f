import GranaryStoreKit
import GranaryPlatform

/// A store's data about itself in keyspace 0: short names with values that begin with their checksum.
enum Meta {
    static let keyspace = Keyspace(0)
    /// The newest format that this version reads, and the format that it writes.
    static let formatVersion: UInt64 = 1
    static let magic: [UInt8] = Array("granary-kv".utf8)

    static let format = "format"
    static let schema = "schema"
    static let fingerprint = "fingerprint"
    static let catalog = "catalog"
    static let transactionNumber = "transaction"
    private static let stateKey = Array(transactionNumber.utf8)

    /// The data that every transaction reads when it begins.
    struct State: Equatable {
        /// The number of the last commit.
        var transactionNumber: UInt64
        /// The number of schema changes. Not written while it is 0.
        var schemaNumber: UInt64 = 0
    }

    /// The key of the greatest key that an entity with assigned keys ever had.
    static func counter(_ entity: Int) -> String { "counter/\(entity)" }

    /// The value under a name, without its checksum.
    ///
    /// - Throws: `corrupt`.
    static func read(_ name: String, _ reader: any KeyValueReader) throws -> [UInt8]? {
        let key = Array(name.utf8)
        return try key.withUnsafeBytes { key in
            guard let value = try reader.get(key, in: keyspace) else { return nil }
            guard let payload = payload(value, key: key) else { throw damaged(name) }
            return Array(payload)
        }
    }

    /// A value without its checksum; nil if the checksum is wrong.
    static func payload(_ value: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard value.count >= 8 else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: value[8...])
        let sum = UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
        return hash64(payload, seed: hash64(key, seed: 0)) == sum ? payload : nil
    }

    static func readNumber(_ name: String, _ reader: any KeyValueReader) throws -> UInt64? {
        guard let bytes = try read(name, reader) else { return nil }
        guard bytes.count == 8 else { throw damaged(name) }
        return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    static func write(_ bytes: [UInt8], _ name: String, _ writer: any KeyValueWriter) throws {
        try write(bytes, key: Array(name.utf8), name, writer)
    }

    /// - Parameter name: The name of the value in an error.
    static func write(_ bytes: [UInt8], key: [UInt8], _ name: String, _ writer: any KeyValueWriter) throws {
        try key.withUnsafeBytes { key in
            let sum = bytes.withUnsafeBytes { hash64($0, seed: hash64(key, seed: 0)) }
            let reserved = try writer.reserve(key, count: bytes.count + 8, in: keyspace, mode: .replace)
            guard let target = reserved, target.count == bytes.count + 8 else { throw damaged(name) }
            target.storeBytes(of: sum.littleEndian, as: UInt64.self)
            UnsafeMutableRawBufferPointer(rebasing: target[8...]).copyBytes(from: bytes)
        }
    }

    // Every transaction begins with this: it makes no copies.
    static func readState(_ reader: any KeyValueReader) throws -> State {
        try stateKey.withUnsafeBytes { key in
            guard let value = try reader.get(key, in: keyspace), let bytes = payload(value, key: key),
                bytes.count == 8 || bytes.count == 16
            else { throw damaged(transactionNumber) }
            func number(at offset: Int) throws -> UInt64 {
                let number = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                guard number <= StoredCount.limit else { throw damaged(transactionNumber) }
                return number
            }
            return try State(transactionNumber: number(at: 0), schemaNumber: bytes.count == 16 ? number(at: 8) : 0)
        }
    }

    static func write(_ state: State, _ writer: any KeyValueWriter) throws {
        var bytes = withUnsafeBytes(of: state.transactionNumber.littleEndian) { Array($0) }
        if state.schemaNumber > 0 {
            withUnsafeBytes(of: state.schemaNumber.littleEndian) { bytes.append(contentsOf: $0) }
        }
        try write(bytes, transactionNumber, writer)
    }

    static func write(_ number: UInt64, _ name: String, _ writer: any KeyValueWriter) throws {
        try write(withUnsafeBytes(of: number.littleEndian) { Array($0) }, name, writer)
    }

    static func damaged(_ name: String) -> GranaryError {
        .damaged("What the store keeps about itself (\(name))")
    }
}
