import GranaryPlatform
import Testing

/// The examples of FIPS 180-4 and of its test vectors.
struct SHA256Tests {
    @Test(arguments: [0, 1, 15, 63, 64, 65, 127, 128, 129, 191, 192, 200])
    func `bytes in pieces have the digest and the hash of the whole`(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        bytes.withUnsafeBytes { whole in
            var (digest, hash) = (SHA256.Pieces(), Hash64Pieces(seed: 5))
            for start in stride(from: 0, to: count, by: 64) {
                let piece = UnsafeRawBufferPointer(rebasing: whole[start..<min(count, start + 64)])
                digest.add(piece)
                hash.add(piece)
            }
            #expect(digest.digest == SHA256(of: whole))
            #expect(hash.hash == hash64(whole, seed: 5))
        }
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `a text has the digest of the standard`(_ text: String, _ digest: String) {
        let found = Array(text.utf8).withUnsafeBytes { SHA256(of: $0) }
        #expect(found.hexadecimal == digest)
        #expect(found.bytes.withUnsafeBytes { SHA256(bytes: $0) } == found)
    }

    @Test func `a million times a has the digest that other programs compute`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            bytes.withUnsafeBytes { SHA256(of: $0) }.hexadecimal
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
