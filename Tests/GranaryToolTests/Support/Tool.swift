import Dispatch
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

    /// The tool may end before it has read what a test writes to it. Then the write fails, and the signal would end the tests.
    private static let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    static func process(_ arguments: [String], program: String = "granary") -> Process {
        ignoreBrokenPipes
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        return process
    }

    static func run(_ arguments: String..., program: String = "granary") throws -> Result {
        try run(arguments, program: program)
    }

    /// - Parameter folder: The current folder of the process; that of this one by default.
    static func run(_ arguments: [String], program: String, folder: String? = nil) throws -> Result {
        let process = process(arguments, program: program)
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Both are read at once: a process whose pipe is full would wait.
        let reading = Reading(errors.fileHandleForReading)
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let said = reading.wait()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: said, as: UTF8.self), isWhole: process.terminationReason == .exit)
    }
}

/// What another thread reads from a pipe to its end.
private final class Reading: Sendable {
    private let end = DispatchSemaphore(value: 0)
    // Written before the signal, read after it.
    nonisolated(unsafe) private var data = Data()

    init(_ file: FileHandle) {
        let file = Sent(file: file)
        Thread.detachNewThread { [self] in
            data = file.file.readDataToEndOfFile()
            end.signal()
        }
    }

    func wait() -> Data {
        end.wait()
        return data
    }

    // @unchecked: only the thread that reads uses it.
    private struct Sent: @unchecked Sendable { let file: FileHandle }
}
