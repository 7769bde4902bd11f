import Foundation
import CLMDBRaw

/// LMDB as a careful C programmer uses it: rows packed into the page they are kept in, appended where keys ascend, read
/// where they lie, one transaction that reads renewed for each read of one row. Two maps: rows by key, and `artist` with the key behind it as the index.
final class RawLMDBSubject: Subject {
    typealias Item = Track

    private let environment: OpaquePointer
    private let rows: MDB_dbi
    private let artists: MDB_dbi

    init(folder: String) throws {
        var environment: OpaquePointer?
        try RawLMDBSubject.check(mdb_env_create(&environment))
        guard let environment else { throw BenchmarkError("mdb_env_create gave nothing.") }
        try RawLMDBSubject.check(mdb_env_set_mapsize(environment, 8 << 30))
        try RawLMDBSubject.check(mdb_env_set_maxdbs(environment, 2))
        let flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
        try RawLMDBSubject.check(mdb_env_open(environment, folder + "/raw.lmdb", flags, 0o600))
        self.environment = environment
        var (rows, artists) = (MDB_dbi(), MDB_dbi())
        try RawLMDBSubject.transaction(environment, 0) { transaction in
            try RawLMDBSubject.check(mdb_dbi_open(transaction, "rows", UInt32(MDB_CREATE), &rows))
            try RawLMDBSubject.check(mdb_dbi_open(transaction, "artists", UInt32(MDB_CREATE), &artists))
        }
        (self.rows, self.artists) = (rows, artists)
    }

    func insert(_ items: [Track]) throws {
        try RawLMDBSubject.transaction(environment, 0) { transaction in
            let artistKey = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 8)
            defer { artistKey.deallocate() }
            for item in items {
                var bigEndian = RawLMDBSubject.stored(item.id)
                var value = MDB_val(mv_size: PackedTrack.size(item), mv_data: nil)
                try withUnsafeMutableBytes(of: &bigEndian) { bytes in
                    var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
                    try RawLMDBSubject.check(
                        mdb_put(transaction, rows, &key, &value, UInt32(MDB_APPEND | MDB_RESERVE)))
                }
                PackedTrack.write(item, to: value.mv_data)
                var artist = item.artist
                var key = artist.withUTF8 { utf8 in
                    if let start = utf8.baseAddress { artistKey.copyMemory(from: start, byteCount: utf8.count) }
                    artistKey.storeBytes(of: 0, toByteOffset: utf8.count, as: UInt8.self)
                    artistKey.storeBytes(of: bigEndian, toByteOffset: utf8.count + 1, as: UInt64.self)
                    return MDB_val(mv_size: utf8.count + 9, mv_data: artistKey)
                }
                var nothing = MDB_val(mv_size: 0, mv_data: nil)
                try RawLMDBSubject.check(mdb_put(transaction, artists, &key, &nothing, 0))
            }
        }
    }

    func fetch() throws -> [Track] {
        var tracks: [Track] = []
        try stream { tracks.append($0) }
        return tracks
    }

    func find(_ keys: [Int64]) throws -> [Track] {
        var tracks: [Track] = []
        try RawLMDBSubject.transaction(environment, UInt32(MDB_RDONLY)) { transaction in
            for key in keys { tracks.append(try track(key, transaction)) }
        }
        return tracks
    }

    func findEach(_ keys: [Int64]) throws -> [Track] {
        let finder = try RawLMDBFinder(self)
        defer { finder.close() }
        return try keys.map { try finder.find($0) }
    }

    /// A transaction that reads; the caller ends it.
    func beginRead() throws -> OpaquePointer {
        var transaction: OpaquePointer?
        try RawLMDBSubject.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        guard let transaction else { throw BenchmarkError("mdb_txn_begin gave nothing.") }
        return transaction
    }

    func track(_ key: Int64, _ transaction: OpaquePointer) throws -> Track {
        guard let packed = try row(RawLMDBSubject.stored(key), transaction) else {
            throw BenchmarkError("There is no track \(key).")
        }
        return Track(id: key, packed: packed)
    }

    /// Walks the index, looks at `plays` where it lies, and makes structs of what is asked for alone.
    func filterSort(limit: Int?) throws -> [Track] {
        try RawLMDBSubject.transaction(environment, UInt32(MDB_RDONLY)) { transaction in
            var found: [(length: Double, id: Int64, packed: UnsafeRawPointer)] = []
            let end = Array(TrackSelection.endArtist.utf8)
            var first = Array(TrackSelection.firstArtist.utf8)
            try first.withUnsafeMutableBytes { first in
                var key = MDB_val(mv_size: first.count, mv_data: first.baseAddress)
                try cursor(artists, transaction, &key, MDB_SET_RANGE) { key, _ in
                    guard memcmp(key.mv_data, end, min(end.count, key.mv_size)) < 0 else { return false }
                    let stored = key.mv_data.loadUnaligned(fromByteOffset: key.mv_size - 8, as: UInt64.self)
                    guard let packed = try row(stored, transaction) else { throw BenchmarkError("A row is missing.") }
                    if PackedTrack.plays(packed) >= TrackSelection.fewestPlays {
                        found.append((PackedTrack.length(packed), RawLMDBSubject.key(stored), packed))
                    }
                    return true
                }
            }
            found.sort { ($0.length, $0.id) < ($1.length, $1.id) }
            return found.prefix(limit ?? .max).map { Track(id: $0.id, packed: $0.packed) }
        }
    }

    func stream(_ body: (Track) throws -> Void) throws {
        try RawLMDBSubject.transaction(environment, UInt32(MDB_RDONLY)) { transaction in
            var key = MDB_val()
            try cursor(rows, transaction, &key, MDB_FIRST) { key, value in
                let id = RawLMDBSubject.key(key.mv_data.loadUnaligned(as: UInt64.self))
                try body(Track(id: id, packed: value.mv_data))
                return true
            }
        }
    }

    func close() throws { mdb_env_close(environment) }

    private func row(_ stored: UInt64, _ transaction: OpaquePointer) throws -> UnsafeRawPointer? {
        var stored = stored
        var value = MDB_val()
        let code = withUnsafeMutableBytes(of: &stored) { bytes in
            var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
            return mdb_get(transaction, rows, &key, &value)
        }
        if code == MDB_NOTFOUND { return nil }
        try RawLMDBSubject.check(code)
        return UnsafeRawPointer(value.mv_data)
    }

    private func cursor(
        _ map: MDB_dbi, _ transaction: OpaquePointer, _ key: inout MDB_val, _ start: MDB_cursor_op,
        _ body: (MDB_val, MDB_val) throws -> Bool
    ) throws {
        var cursor: OpaquePointer?
        try RawLMDBSubject.check(mdb_cursor_open(transaction, map, &cursor))
        defer { mdb_cursor_close(cursor) }
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, start)
        while code == 0 {
            guard try body(key, value) else { return }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard code == MDB_NOTFOUND else { return try RawLMDBSubject.check(code) }
    }

    /// A key whose bytes are ordered as the number is.
    private static func stored(_ key: Int64) -> UInt64 { (UInt64(bitPattern: key) ^ 1 << 63).bigEndian }
    private static func key(_ stored: UInt64) -> Int64 { Int64(bitPattern: UInt64(bigEndian: stored) ^ 1 << 63) }

    private static func transaction<T>(
        _ environment: OpaquePointer, _ flags: UInt32, _ body: (OpaquePointer) throws -> T
    ) throws -> T {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, flags, &transaction))
        guard let transaction else { throw BenchmarkError("mdb_txn_begin gave nothing.") }
        do {
            let result = try body(transaction)
            try check(mdb_txn_commit(transaction))
            return result
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
    }

    static func check(_ code: Int32) throws {
        guard code == 0 else { throw BenchmarkError("LMDB: \(String(cString: mdb_strerror(code)))") }
    }
}
