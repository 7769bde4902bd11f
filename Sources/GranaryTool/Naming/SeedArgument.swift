import ArgumentParser
import Foundation
import GranaryCore
import GranaryImport
import GranarySeeds
import GranaryStoreKit

/// A seed on a command line: a store, or a file or folder of JSON.
struct SeedArgument: ExpressibleByArgument, Sendable {
    let store: StoreArgument

    static var defaultCompletionKind: CompletionKind { .file() }

    init?(argument: String) {
        guard let store = StoreArgument(argument: argument) else { return nil }
        self.store = store
    }

    /// Whether the argument is a store, and not JSON.
    var isStore: Bool {
        if store.namesKind { return true }
        do {
            _ = try StoreOnDisk(at: store.path)
            return true
        } catch let error as GranaryError where error.code == .notAStore || error.code == .invalidPath {
            return false
        } catch {
            return true
        }
    }

    func seed() throws -> Seed {
        if !store.namesKind, !store.path.isEmpty, !FileManager.default.fileExists(atPath: store.path) {
            throw GranaryError(
                .notAStore, "There is no store, and no file or folder of JSON, at \(store.path). Check the path.")
        }
        guard !isStore else { return .store(try store.provider(.readOnly)) }
        try requireJSON()
        return .json(URL(filePath: store.path))
    }

    /// - Throws: `invalidInput` if the name or the first bytes of a file show that it is not JSON.
    private func requireJSON() throws {
        let what: String? =
            switch FileFormat(ofFileNamed: store.path) {
            case .csv, .tsv: "CSV"
            case .jsonLines: "JSON lines"
            case .json, nil: nil
            }
        let wanted = "A seed is a store, a file with the JSON of all entities, or a folder with a file for each."
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: store.path, isDirectory: &isFolder)
        if let what, !isFolder.boolValue {
            let name = URL(filePath: store.path).lastPathComponent.split(separator: ".").dropFirst().joined(
                separator: ".")
            throw GranaryError(
                .invalidInput,
                "\(store.path) is \(what). \(wanted) Put the file into a folder as ENTITY.\(name), and name the folder."
            )
        }
        if let kind = ForeignFile(store.path) {
            throw GranaryError(.invalidInput, "\(store.path) is \(kind.name). \(wanted) \(kind.advice)")
        }
    }

    /// The given seed, or else the seed of the app that embeds the tool.
    static func seed(_ given: SeedArgument?) throws -> Seed {
        if let given { return try given.seed() }
        guard let seed = ToolApplication.current.seed else {
            throw ValidationError("Name the seed with --from: a store, or a file or folder of JSON.")
        }
        return seed
    }
}
