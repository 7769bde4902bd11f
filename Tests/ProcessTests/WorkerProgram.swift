import Foundation
import GranaryTool
import StoreSubjects
import TestSupport

/// The program `StoreWorker`, which does one thing with a store, in a process of its own.
enum WorkerProgram {
    static let kinds = [StoreKind.sqlite, .lmdb]

    static func withFolder<T>(_ body: (String) throws -> T) throws -> T {
        let folder = TemporaryFolder.parent + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(folder)
    }

    /// - Parameter environment: Added to that of this process.
    static func start(
        _ kind: StoreKind, _ path: String, _ task: [String], environment: [String: String] = [:], errors: Pipe? = nil
    ) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "StoreWorker")
        process.arguments = [kind.rawValue, path] + task
        let pipe = Pipe()
        process.standardOutput = pipe
        if let errors { process.standardError = errors }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        try process.run()
        return (process, pipe)
    }

    static func lines(_ pipe: Pipe) -> [String] {
        String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: true).map { String($0) }
    }
}
