import GranaryPlatform
import Foundation
import Testing

@testable import GranaryStoreKit
import TestSupport

@Suite struct StorePathTests {
    @Test(arguments: [
        "", ":memory:", "file:/tmp/x", "file:x?mode=memory", "/tmp/a\0b", "/", "//", "/no-such-folder-here/x",
    ])
    func `a path that cannot hold a store is refused and nothing is made`(path: String) {
        #expect(code { try openStore(path) } == .invalidPath)
    }

    @Test func `a missing parent is named`() throws {
        let folder = try TemporaryFolder()
        do {
            try openStore(folder("a/b/Music.granary"))
            Issue.record("opened")
        } catch let error as GranaryError {
            #expect(error.code == .invalidPath)
            #expect(error.message.contains("\(folder("a/b")),"))
            #expect(error.message.contains("Create it first"))
        }
        #expect(names(folder.path) == [])
    }

    @Test func `the parent's links are followed, the store's own is not`() throws {
        let folder = try TemporaryFolder()
        mkdir(folder("real"), 0o700)
        symlink(folder("real"), folder("link"))
        let store = try openStore(folder("link/S"))
        #expect(store.path == folder("real/S"))
        symlink(folder("real/S"), folder("S2"))
        symlink(folder("nowhere"), folder("S3"))
        #expect(code { try openStore(folder("S2")) } == .invalidPath)
        #expect(code { try openStore(folder("S3")) } == .invalidPath)
        #expect(code { _ = try StoreFolder.inspect(path: folder("S2")) } == .invalidPath)
    }

    @Test func `slashes at the end, dots and odd names are paths like others`() throws {
        let folder = try TemporaryFolder()
        #expect(try StorePath(folder("S///")).path == folder("S"))
        #expect(try StorePath(folder("./S")).path == folder("S"))
        #expect(try StorePath("\(folder.path)/.").path == folder.path)
        mkdir(folder("d"), 0o700)
        #expect(try StorePath(folder("d/..")).path == folder.path)
        #expect(try StorePath("S").path == "\(FileSystem.realPath("."))/S")
        #expect(try StorePath("/S").path == "/S")
        let combining = folder("\u{301}x \u{1F3B5}")
        try openStore(combining)
        #expect(names(folder.path).contains("\u{301}x \u{1F3B5}"))
    }

    @Test func `a file at the path is not a place for a store`() throws {
        let folder = try TemporaryFolder()
        try write("hello", to: folder("f"))
        #expect(code { try openStore(folder("f")) } == .invalidPath)
        #expect(code { try openStore(folder("f/S")) } == .invalidPath)
        #expect(text(folder("f")) == "hello")
    }

    @Test func `a name that is too long is an invalid path`() throws {
        let folder = try TemporaryFolder()
        #expect(code { try openStore(folder(String(repeating: "x", count: 300))) } == .invalidPath)
    }
}
