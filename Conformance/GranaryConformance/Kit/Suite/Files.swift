import Foundation
import GranaryPlatform

// What cases do to the files of a store, from outside, as another program would.

/// The bytes of each file below a folder, by path relative to it, folders as empty; of a path without anything, nothing.
package func files(_ root: String) -> [String: [UInt8]] {
    guard let kind = kindOfFile(root) else { return [:] }
    if kind == .file { return ["": bytes(root)] }
    var found: [String: [UInt8]] = ["": []]
    for name in (FileManager.default.enumerator(atPath: root)?.allObjects as? [String]) ?? [] {
        found[name] = kindOfFile(root + "/" + name) == .file ? bytes(root + "/" + name) : []
    }
    return found
}

package enum FileKind { case file, folder }

package func kindOfFile(_ path: String) -> FileKind? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    return isFolder.boolValue ? .folder : .file
}

/// Not read by Foundation, which loses 4 KB at each empty file.
package func bytes(_ path: String) -> [UInt8] { (try? OpenFile(path, .reading).readAll(limit: .max)) ?? [] }

package func writeFile(_ bytes: [UInt8], to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
        throw ConformanceFailure(message: "cannot write \(path)", file: #fileID, line: #line)
    }
}

package func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
}

package func removeFile(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

package func makeFIFO(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 else {
        throw ConformanceFailure(message: "cannot make the FIFO \(path)", file: #fileID, line: #line)
    }
}

package func renameFile(_ path: String, to new: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: new)
}

/// The newest generation's folder of a store folder.
package func generationFolder(_ store: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: store).filter { $0.hasPrefix("gen-") }.sorted()
    guard let name = names.last else {
        throw ConformanceFailure(message: "\(store) has no generation", file: #fileID, line: #line)
    }
    return store + "/" + name
}

/// The largest file of the newest generation: the engine's own.
package func engineFile(_ store: String) throws -> String {
    let folder = try generationFolder(store)
    let largest = files(folder).max { $0.value.count < $1.value.count }
    guard let largest, !largest.value.isEmpty else {
        throw ConformanceFailure(message: "\(folder) has no file", file: #fileID, line: #line)
    }
    return folder + "/" + largest.key
}
