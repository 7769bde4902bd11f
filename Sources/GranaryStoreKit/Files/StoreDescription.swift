/// The contents of the file `CURRENT` of a store folder: the engine of the store and the live generation.
///
/// ```
/// granary
/// format=1
/// kind=sqlite
/// generation=1
/// checksum=4f0c6f8d0b1e22a7
/// ```
///
/// The first two lines, and the last one, a checksum of all bytes before it, stay the same in every format, so that an
/// older version can distinguish a newer store from a damaged one.
struct StoreDescription: Sendable, Hashable {
    /// The version of the folder's layout.
    var format: Int
    /// The engine: `sqlite`, `lmdb`. 1 to 32 of `a-z`, `0-9` and `-`.
    var kind: String
    /// Counts from 1; the live files of generation 1 are in `gen-0001`.
    var generation: Int

    init(format: Int = StoreDescription.currentFormat, kind: String, generation: Int = 1) {
        self.format = format
        self.kind = kind
        self.generation = generation
    }

    static let currentFormat = 1
    static let magic = "granary\n"
    /// The greatest size of a description.
    static let byteLimit = 4096
}

extension StoreDescription {
    var bytes: [UInt8] {
        let text = "\(Self.magic)format=\(format)\nkind=\(kind)\ngeneration=\(generation)\n"
        return Array("\(text)checksum=\(Self.checksum(text.utf8))\n".utf8)
    }

    /// Reads the bytes that ``bytes`` wrote.
    ///
    /// - Throws: `.notAStore` for the file of another program, `.corrupt` for a description that is empty, cut off or
    ///   changed, `.newerFormat` for a complete one in a format after ``currentFormat``.
    init(bytes: [UInt8], path: String) throws(GranaryError) {
        let magic = Array(Self.magic.utf8)
        // Zeros and a beginning of the magic bytes are what a file system may leave of this file.
        guard bytes.starts(with: magic) || magic.starts(with: bytes) || bytes.allSatisfy({ $0 == 0 }) else {
            throw GranaryError.notGranarys(path)
        }
        let damaged = GranaryError(
            .corrupt,
            "\(path), which says where the store's data is, is damaged. "
                + "Restore it from a backup; the data in the folders beside it was not touched."
        )
        guard let text = String(validating: bytes, as: UTF8.self), text.last == "\n" else { throw damaged }
        let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        let checked = lines.dropLast().map { "\($0)\n" }.joined()
        guard let last = lines.last, last == "checksum=\(Self.checksum(checked.utf8))", lines.count >= 3,
            let format = Self.number(lines[1], "format")
        else { throw damaged }
        guard format <= Self.currentFormat else {
            throw GranaryError.newerFormat(of: path, format, newest: Self.currentFormat)
        }
        guard format == 1, lines.count == 5, lines[2].hasPrefix("kind="),
            let generation = Self.number(lines[3], "generation")
        else { throw damaged }
        let kind = String(lines[2].dropFirst(5))
        guard Self.isKind(kind), generation <= StoredCount.limit else { throw damaged }
        self.init(format: format, kind: kind, generation: generation)
    }

    static func isKind(_ kind: String) -> Bool {
        (1...32).contains(kind.utf8.count)
            && kind.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    /// A positive decimal number in its only spelling, after `name=`.
    private static func number(_ line: Substring, _ name: String) -> Int? {
        guard line.hasPrefix("\(name)="), let number = Int(line.dropFirst(name.utf8.count + 1)), number > 0,
            line == "\(name)=\(number)"
        else { return nil }
        return number
    }

    /// FNV-1a, 64 bits, as 16 hexadecimal digits. It finds accidents, not attackers.
    static func checksum(_ bytes: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
