import Foundation

/// The service as a process of its own.
struct ServiceProcess {
    private let process = Process()
    let port: Int

    /// Starts this program with the verb `serve`, and waits until it listens.
    init(store: String) throws {
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["serve", "--store", store, "--port", "0"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        let text = String(decoding: line, as: UTF8.self)
        guard let port = text.split(separator: ":").last.flatMap({ Int($0.dropLast(1)) }) else {
            process.waitUntilExit()
            throw LoadFailure("The service has not started: it ended with exit code \(process.terminationStatus).")
        }
        self.port = port
    }

    /// Sends SIGTERM, and waits for the end.
    func end() throws {
        process.terminate()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw LoadFailure("The service ended with exit code \(process.terminationStatus).")
        }
    }

    /// Ends a process whose run has failed.
    func kill() {
        if process.isRunning { process.terminate() }
    }
}

struct LoadFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
