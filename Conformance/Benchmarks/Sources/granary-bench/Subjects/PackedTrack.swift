import Foundation

/// A track as bytes: a head of fixed size, then the text and bytes one after the other.
///
/// | at | what |
/// |---|---|
/// | 0 | length, rating, plays, added: 8 bytes each |
/// | 32 | flags: 1 rating, 2 favourite, 4 composer |
/// | 34 | byte counts of title, artist, comment, cover, composer: 2 bytes each |
/// | 44 | their bytes |
enum PackedTrack {
    static let headSize = 44

    static func size(_ track: Track) -> Int {
        headSize + track.title.utf8.count + track.artist.utf8.count + track.comment.utf8.count + track.cover.count
            + (track.composer?.utf8.count ?? 0)
    }

    static func write(_ track: Track, to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: track.length, as: Double.self)
        target.storeBytes(of: track.rating ?? 0, toByteOffset: 8, as: Double.self)
        target.storeBytes(of: Int64(track.plays), toByteOffset: 16, as: Int64.self)
        target.storeBytes(of: track.added.timeIntervalSinceReferenceDate, toByteOffset: 24, as: Double.self)
        let flags: UInt16 =
            (track.rating == nil ? 0 : 1) | (track.isFavourite ? 2 : 0) | (track.composer == nil ? 0 : 4)
        target.storeBytes(of: flags, toByteOffset: 32, as: UInt16.self)
        var end = headSize
        append(track.title, 0, target, &end)
        append(track.artist, 1, target, &end)
        append(track.comment, 2, target, &end)
        track.cover.withUnsafeBytes { append($0, 3, target, &end) }
        append(track.composer ?? "", 4, target, &end)
    }

    static func plays(_ source: UnsafeRawPointer) -> Int {
        Int(source.loadUnaligned(fromByteOffset: 16, as: Int64.self))
    }

    static func length(_ source: UnsafeRawPointer) -> Double { source.loadUnaligned(as: Double.self) }

    private static func append(
        _ text: String, _ field: Int, _ target: UnsafeMutableRawPointer, _ end: inout Int
    ) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), field, target, &end) }
    }

    private static func append(
        _ bytes: UnsafeRawBufferPointer, _ field: Int, _ target: UnsafeMutableRawPointer, _ end: inout Int
    ) {
        target.storeBytes(of: UInt16(bytes.count), toByteOffset: 34 + 2 * field, as: UInt16.self)
        if let start = bytes.baseAddress { (target + end).copyMemory(from: start, byteCount: bytes.count) }
        end += bytes.count
    }
}

extension Track {
    /// A track from its packed bytes.
    init(id: Int64, packed source: UnsafeRawPointer) {
        let flags = source.loadUnaligned(fromByteOffset: 32, as: UInt16.self)
        var start = PackedTrack.headSize
        self.id = id
        title = Track.text(source, 0, &start)
        artist = Track.text(source, 1, &start)
        comment = Track.text(source, 2, &start)
        length = source.loadUnaligned(as: Double.self)
        rating = flags & 1 == 0 ? nil : source.loadUnaligned(fromByteOffset: 8, as: Double.self)
        plays = PackedTrack.plays(source)
        isFavourite = flags & 2 != 0
        added = Date(timeIntervalSinceReferenceDate: source.loadUnaligned(fromByteOffset: 24, as: Double.self))
        cover = Data(Track.bytes(source, 3, &start))
        composer = flags & 4 == 0 ? nil : Track.text(source, 4, &start)
    }

    private static func text(_ source: UnsafeRawPointer, _ field: Int, _ start: inout Int) -> String {
        String(decoding: bytes(source, field, &start), as: UTF8.self)
    }

    private static func bytes(
        _ source: UnsafeRawPointer, _ field: Int, _ start: inout Int
    ) -> UnsafeRawBufferPointer {
        let count = Int(source.loadUnaligned(fromByteOffset: 34 + 2 * field, as: UInt16.self))
        defer { start += count }
        return UnsafeRawBufferPointer(start: source + start, count: count)
    }
}
