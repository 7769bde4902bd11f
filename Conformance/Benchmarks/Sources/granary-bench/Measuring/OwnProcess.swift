import Foundation

/// Runs a command of this program in a process of its own, whose memory is its own as well.
enum OwnProcess {
    /// - Parameter line: Takes each line that the process prints, when it comes.
    static func run(_ arguments: [String], _ line: (String) throws -> Void) throws {
        let process = Process()
        let output = Pipe()
        // This very program, also if another one has been built in its place since it was started.
        process.executableURL = URL(fileURLWithPath: "/proc/\(getpid())/exe")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        var rest = Data()
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try line(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("This failed in a process of its own: \(arguments.joined(separator: " "))")
        }
    }
}
