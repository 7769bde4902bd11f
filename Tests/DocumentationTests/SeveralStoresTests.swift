import Foundation
import Granary
import GranaryMemory
import GranarySQLite
import TestSupport
import Testing

/// What the page about several stores says, done.
struct SeveralStoresTests {
    @Test func `a catalogue that is only read, beside marks and a cache`() async throws {
        let folder = try TemporaryFolder()
        let (own, catalogue) = (URL(filePath: folder.path + "/Own"), URL(filePath: folder.path + "/Catalogue"))
        try await Stack(Schema(Piece.self), store: .sqlite(at: catalogue)).closing { stack in
            try await stack.write { tx in
                _ = try tx.insert([Piece(id: 1, title: "Fire"), Piece(id: 2, title: "Rain")])
            }
        }
        for isFirst in [true, false] {
            let stack = try await openAll(own, catalogue: catalogue)
            if isFirst {
                try await stack.write { tx in
                    try tx.insert(Bookmark(piece: Ref(1), seconds: 90))
                    try tx.insert(Bookmark(piece: Ref(1), seconds: 30))
                    try tx.insert(Cover(address: "a", image: Data([1])))
                }
                await #expect(throws: GranaryError.self) {
                    try await stack.write { try $0.insert(Piece(id: 3, title: "x")) }
                }
            }
            #expect(try await stack.read { try marks(in: "Fire", $0).map(\.seconds) } == [30, 90])
            #expect(try await stack.read { try $0.count(Cover.all) } == (isFirst ? 1 : 0))
            #expect(try await stack.verify() == [])
            try await stack.close()
        }
    }
}

extension Stack {
    /// Runs a body, then closes the stack.
    fileprivate func closing(_ body: (Stack) async throws -> Void) async throws {
        try await body(self)
        try await close()
    }
}
