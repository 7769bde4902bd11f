import Foundation
import Testing

@testable import GranaryCore

/// A folder of the test's own, removed with the last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let parent = try FileSystem.realPath(FileManager.default.temporaryDirectory.path)
        path = "\(parent)/granary-\(UUID().uuidString)"
        _ = try FileSystem.makeFolder(path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

func text(_ path: String) -> String? {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
}

func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
}

func exists(_ path: String) -> Bool { (try? FileSystem.status(path)) != .some(nil) }

func permissions(_ path: String) throws -> UInt32? { try FileSystem.status(path)?.permissions }

/// The code of what the body throws, or nil when it throws nothing.
func code(_ body: () throws -> Void) -> GranaryError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? GranaryError)?.code ?? GranaryError.Code(rawValue: "\(error)")
    }
}

struct Planned: Error {}

/// Opens with an "engine" whose only file says which content it was made with.
@discardableResult
func openStore(
    _ path: String, kind: String = "sqlite", _ access: StoreAccess = .readWrite, timeout: Double = 0,
    content: String = "new"
) throws -> StoreFolder {
    try StoreFolder.open(path: path, kind: kind, access: access, busyTimeout: timeout) {
        try write(content, to: "\($0)/db")
    }
}

func content(_ folder: StoreFolder) -> String? { text("\(folder.generationPath)/db") }
