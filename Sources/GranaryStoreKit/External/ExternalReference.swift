import GranaryPlatform

/// The cell of a row for a value that is kept in a file: 64 bytes, which name the file by its content.
///
/// | bytes | |
/// |---|---|
/// | 16 | `granary external` in ASCII |
/// | 32 | the SHA-256 digest of the content: in hexadecimal, the name of the file |
/// | 8 | the size of the content, little-endian |
/// | 8 | ``hash64(_:seed:)`` of the content, checked at each reading because it is faster than the digest |
///
/// Two references are equal exactly if the contents are. A program's value that looks like a reference is kept in a
/// file whatever its size, so that everything in a row that looks like a reference is one.
package struct ExternalReference: Sendable, Hashable {
    package let digest: SHA256
    package let size: Int
    package let checksum: UInt64

    private static let mark = Array("granary external".utf8)
    static let byteCount = 64

    init(of content: UnsafeRawBufferPointer) {
        digest = SHA256(of: content)
        size = content.count
        checksum = hash64(content, seed: 0)
    }

    /// The reference in a cell; nil if the cell is nil or holds the value itself.
    package init?(_ cell: Cell) {
        guard cell.kind == .bytes else { return nil }
        let bytes = cell.rawBytes
        guard ExternalReference.isForm(bytes),
            let digest = SHA256(bytes: UnsafeRawBufferPointer(rebasing: bytes[16..<48]))
        else { return nil }
        self.digest = digest
        func number(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        // A damaged row may claim any size. Memory is reserved only after the file was found to have that size.
        size = Int(clamping: number(48))
        checksum = number(56)
    }

    private static func isForm(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count == byteCount && bytes.starts(with: mark)
    }

    /// Whether a value is kept in a file.
    ///
    /// - Parameter size: The least size of a value of its attribute that is kept in a file.
    static func isNeeded(for cell: Cell, from size: Int) -> Bool {
        guard cell.kind == .bytes else { return false }
        return cell.rawBytes.count >= size || isForm(cell.rawBytes)
    }

    var bytes: [UInt8] {
        var bytes = ExternalReference.mark
        bytes += digest.bytes
        withUnsafeBytes(of: UInt64(size).littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: checksum.littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// The file's name.
    var name: String { digest.hexadecimal }
}

extension Entity {
    /// The positions of the attributes whose large values are kept in files.
    package var externalPositions: [Int] { attributes.indices.filter { attributes[$0].isExternal } }
}

extension Schema {
    package var hasExternalAttributes: Bool {
        entities.contains { $0.attributes.contains(where: \.isExternal) }
    }
}
