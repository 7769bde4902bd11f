import Foundation
import Granary
import GranaryTool

/// The real `granary` as a process of its own, without a terminal.
enum Tool {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
        /// Whether it ended by itself, and not by a signal.
        var isWhole = true

        var json: Any? { try? JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed) }
    }

    static let kinds = [StoreKind.sqlite, .lmdb]

    static func process(_ arguments: [String], program: String = "granary") -> Process {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        return process
    }

    static func run(_ arguments: String..., program: String = "granary") throws -> Result {
        let process = process(arguments, program: program)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: said, as: UTF8.self), isWhole: process.terminationReason == .exit)
    }
}
