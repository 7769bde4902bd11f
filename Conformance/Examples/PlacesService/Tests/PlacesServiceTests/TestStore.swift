import Foundation
import PlacesService
import Testing

/// The stores that each test runs on.
enum TestStore: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, lmdb

    var testDescription: String { rawValue }

    func address(in folder: URL) -> StoreAddress {
        let path = folder.appending(path: "places.granary").path(percentEncoded: false)
        return switch self {
        case .memory: .memory
        case .sqlite: .sqlite(path: path)
        case .lmdb: .lmdb(path: path)
        }
    }
}

/// Runs a test with a folder of its own, which is removed at the end.
func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "places-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}
