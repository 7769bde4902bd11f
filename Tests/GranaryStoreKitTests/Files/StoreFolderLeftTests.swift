import Foundation
import GranaryPlatform
import Testing

@testable import GranaryStoreKit
import TestSupport

/// Folders that are not stores, or not any more: what is removed from them, and what is left alone.
@Suite struct StoreFolderLeftTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try openStore(folder("S")).close()
    }

    private func destroy() -> GranaryError.Code? { code { try StoreFolder.destroy(path: folder("S")) } }

    @Test func `a LOCK that a destruction could not remove is removed by the next one`() throws {
        for name in ["CURRENT", "gen-0001"] { try OpenFolder(folder("S")).removeTree(name) }
        #expect(names(folder("S")) == ["LOCK"])
        #expect(destroy() == nil)
        #expect(names(folder.path) == [])
    }

    @Test func `a LOCK of another program is left alone`() throws {
        for name in ["CURRENT", "gen-0001"] { try OpenFolder(folder("S")).removeTree(name) }
        try write("1234", to: folder("S/LOCK"))
        #expect(destroy() == .notAStore)
        #expect(text(folder("S/LOCK")) == "1234")
    }

    @Test(arguments: [
        "CURRENT.tmp/inner", "external/READERS/inner", "external/writer-1/inner", "external", "gen-0002",
        "external/" + String(repeating: "a", count: 64) + "/inner",
    ])
    func `names of a store under which something else lies are removed with it`(_ path: String) throws {
        var parts = path.split(separator: "/").map(String.init)
        let last = parts.removeLast()
        var place = folder("S")
        for part in parts {
            place += "/\(part)"
            mkdir(place, 0o700)
        }
        try write("odd", to: "\(place)/\(last)")
        #expect(destroy() == nil)
        #expect(names(folder.path) == [])
    }

    @Test func `a left CURRENT.tmp that is a folder goes when the store is opened`() throws {
        mkdir(folder("S/CURRENT.tmp"), 0o700)
        try write("odd", to: folder("S/CURRENT.tmp/inner"))
        try openStore(folder("S")).close()
        #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0001"])
    }

    @Test func `a store whose CURRENT has become another file can be destroyed`() throws {
        try write("junk", to: folder("S/CURRENT"))
        #expect(code { try openStore(folder("S")) } == .notAStore)
        #expect(destroy() == nil)
        #expect(names(folder.path) == [])
    }

    @Test(arguments: ["MANIFEST-000001", "LOCK", "gen"])
    func `a folder of another program that has a CURRENT of its own is never destroyed`(_ sign: String) throws {
        try write("junk", to: folder("S/CURRENT"))
        switch sign {
        case "LOCK": try write("1", to: folder("S/LOCK"))
        case "gen": try OpenFolder(folder("S")).removeTree("gen-0001")
        default: try write("1", to: folder("S/\(sign)"))
        }
        let before = names(folder("S"))
        #expect(destroy() == .notAStore)
        #expect(names(folder("S")) == before)
    }

    @Test func `an opening that is refused leaves no LOCK in the folder`() throws {
        try OpenFolder(folder("S")).removeFile("LOCK")
        #expect(code { try openStore(folder("S"), kind: "lmdb") } == .notAStore)
        #expect(names(folder("S")) == ["CURRENT", "gen-0001"])
        try write("MANIFEST-000004\n", to: folder("S/CURRENT"))
        #expect(code { try openStore(folder("S")) } == .notAStore)
        #expect(names(folder("S")) == ["CURRENT", "gen-0001"])
    }

    @Test func `what stays after a destruction is told`() throws {
        try write("mine", to: folder("S/notes.txt"))
        #expect(destroy() == nil)
        #expect(try StoreOnDisk.fileLeft(at: folder("S")) == "notes.txt")
        try OpenFolder(folder("S")).removeFile("notes.txt")
        try openStore(folder("S")).close()
        #expect(try StoreOnDisk.fileLeft(at: folder("S")) == nil)
    }

    @Test func `a URL with a name that is not UTF-8 is refused`() throws {
        let url = try #require(URL(string: "file://\(folder.path)/m%FFusic.granary"))
        #expect(code { _ = try StorePlacement(url: url).path() } == .invalidPath)
        let right = try #require(URL(string: "file://\(folder.path)/m%C3%BCsic.granary"))
        #expect(try StorePlacement(url: right).path() == folder("müsic.granary"))
    }
}
