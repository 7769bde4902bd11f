import Foundation
import TestSupport

/// Swift code that is checked by the compiler, against the module under test, and not run.
struct Snippet {
    let code: String

    /// The compiler, if there is one where programs are looked for.
    static let compiler: URL? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: "\($0)/swiftc") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// Where the modules that this test is built with are.
    static let modules: URL? = {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let modules = folder.appending(path: "Modules")
            if FileManager.default.fileExists(atPath: modules.appending(path: "GranaryCore.swiftmodule").path) {
                return modules
            }
            folder = folder.deletingLastPathComponent()
        }
        return nil
    }()

    /// Where the modules of C are that those modules need.
    private static let modulesOfC = URL(filePath: #filePath)
        .appending(path: "../../../../Sources/CPlatform/include").standardized

    /// What the compiler says of it: a line each, `3: error: what is wrong`.
    ///
    /// - Parameter checkingIsolation: Whether it is also checked that values are not handed from one actor to another while
    ///   both can use them. That is done to code which has no other error.
    /// - Returns: Nil if the compiler or the modules are not there.
    func errors(checkingIsolation: Bool = false) throws -> [String]? {
        guard let compiler = Snippet.compiler, let modules = Snippet.modules else { return nil }
        let folder = URL(filePath: TemporaryFolder.parent).appending(path: "granary-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "snippet.swift")
        try Data(code.utf8).write(to: file)
        let process = Process()
        process.executableURL = compiler
        process.arguments = [
            checkingIsolation ? "-emit-sil" : "-typecheck", "-parse-as-library", "-swift-version", "6",
            "-diagnostic-style", "llvm", "-I", modules.path, "-I", Snippet.modulesOfC.path,
            "-module-cache-path", modules.deletingLastPathComponent().appending(path: "SnippetCache").path, file.path,
        ]
        if checkingIsolation { process.arguments? += ["-o", folder.appending(path: "snippet.sil").path] }
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let errors = output.split(separator: "\n").compactMap { line -> String? in
            guard line.contains("error: ") else { return nil }
            let parts = line.split(separator: ":", maxSplits: 3)
            guard parts.count == 4, line.hasPrefix(file.path) else { return String(line) }
            return "\(parts[1]):\(parts[3])"
        }
        guard process.terminationStatus == 0 || !errors.isEmpty else { return ["the compiler ended with \(output)"] }
        return errors
    }
}
