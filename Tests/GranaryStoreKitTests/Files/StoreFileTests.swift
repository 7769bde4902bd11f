import GranaryPlatform
import TestSupport
import Testing

@testable import GranaryStoreKit

/// Files that a store opens by itself.
struct StoreFileTests {
    @Test func `a file that a store lacks is corrupt`() throws {
        let folder = try TemporaryFolder()
        try write("rows", to: folder("rows"))
        let opened = try OpenFolder(folder.path)
        #expect(try opened.storeFile("rows", .reading).readAll(limit: 10) == Array("rows".utf8))
        #expect(code { _ = try opened.storeFile("index", .reading) } == .corrupt)
    }

    @Test func `a store that is opened for writing excludes all others, and readers share it`() throws {
        let folder = try TemporaryFolder()
        try write("", to: folder("lock"))
        let (first, second) = (try OpenFile(folder("lock"), .reading), try OpenFile(folder("lock"), .reading))
        try first.lock(for: .readOnly, timeout: .zero)
        try second.lock(for: .readOnly, timeout: .zero)
        #expect(code { try second.lock(for: .readWrite, timeout: .milliseconds(10)) } == .busy)
        #expect(code { try second.lock(for: .readOnly, timeout: .zero) } == nil)
        first.unlock()
        try second.lock(for: .readWrite, timeout: .zero)
        #expect(code { try first.lock(for: .readOnly, timeout: .zero) } == .busy)
    }
}
