import TestSupport

@testable import GranaryStoreKit

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
