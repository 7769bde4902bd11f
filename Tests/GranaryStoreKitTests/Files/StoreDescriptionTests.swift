import Testing

@testable import GranaryStoreKit
import TestSupport

@Suite struct StoreDescriptionTests {
    private func read(_ bytes: [UInt8]) -> GranaryError.Code? {
        code { _ = try StoreDescription(bytes: bytes, path: "CURRENT") }
    }

    @Test func `what is written is what is read`() throws {
        let description = StoreDescription(kind: "lmdb", generation: 12)
        let text = String(decoding: description.bytes, as: UTF8.self)
        #expect(text.hasPrefix("granary\nformat=1\nkind=lmdb\ngeneration=12\nchecksum="))
        #expect(try StoreDescription(bytes: description.bytes, path: "") == description)
        // The published value of FNV-1a for "foobar".
        #expect(StoreDescription.checksum("foobar".utf8) == "85944171f73967e8")
    }

    @Test func `every truncation is damage`() {
        let bytes = StoreDescription(kind: "sqlite").bytes
        for count in 0..<bytes.count { #expect(read(Array(bytes[..<count])) == .corrupt, "\(count)") }
    }

    @Test func `every changed bit is found`() {
        let bytes = StoreDescription(kind: "sqlite", generation: 3).bytes
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let isInMagic = bit / 8 < 8
            #expect(read(changed) == (isInMagic ? .notAStore : .corrupt), "bit \(bit)")
        }
    }

    @Test func `another program's file is not a store`() {
        #expect(read(Array("MANIFEST-000001\n".utf8)) == .notAStore)
        #expect(read([0xFF, 0xFE]) == .notAStore)
        #expect(read([UInt8](repeating: 0, count: 80)) == .corrupt, "zeros are what a crash may leave of our file")
    }

    @Test func `a newer format is refused when it is whole`() {
        #expect(read(StoreDescription(format: 2, kind: "sqlite").bytes) == .newerFormat)
        let text = "granary\nformat=9\nanything=else\n"
        #expect(read(Array("\(text)checksum=\(StoreDescription.checksum(text.utf8))\n".utf8)) == .newerFormat)
    }

    @Test(arguments: [
        "format=1\nkind=sqlite\ngeneration=0\n", "format=1\nkind=sqlite\ngeneration=-1\n",
        "format=1\nkind=sqlite\ngeneration=01\n", "format=1\nkind=SQLite\ngeneration=1\n",
        "format=1\nkind=\ngeneration=1\n",
        "format=1\nkind=sqlite\ngeneration=99999999999999999999\n", "format=0\nkind=sqlite\ngeneration=1\n",
        "format=1\nkind=../x\ngeneration=1\n", "format=1\ngeneration=1\nkind=sqlite\n",
        "format=1\nkind=sqlite\ngeneration=1\nx=1\n", "",
    ])
    func `a right checksum does not excuse wrong content`(lines: String) {
        let text = "granary\n\(lines)"
        #expect(read(Array("\(text)checksum=\(StoreDescription.checksum(text.utf8))\n".utf8)) == .corrupt)
    }

    @Test func `only our spelling of a generation's name counts`() {
        #expect(StoreNames.generation(1) == "gen-0001")
        #expect(StoreNames.generation(12_345) == "gen-12345")
        #expect(StoreNames.generationNumber("gen-0012") == 12)
        for name in ["gen-1", "gen-00001", "gen-0000", "gen-+001", "gen--001", "gen-000x", "Gen-0001", "gen-0001.bak"] {
            #expect(StoreNames.generationNumber(name) == nil, "\(name)")
        }
    }
}
