import Foundation

/// The memory one process used, in megabytes of 2^20 bytes.
struct PeakMemory: Codable {
    /// The most that was resident, as the kernel counts it (`VmHWM`): with the pages of a mapped file.
    var resident: Double
    /// The most that was the process's own (`RssAnon`), looked at every thousand rows.
    var own: Double

    static func current() -> PeakMemory {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func megabytes(_ name: String) -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) } ?? 0) / 1024
        }
        return PeakMemory(resident: megabytes("VmHWM"), own: megabytes("RssAnon"))
    }

    /// Streams a filled store in a process of its own, and asks that for its memory.
    static func ofStreaming(_ subject: SubjectName, rows: Int, folder: String) throws -> PeakMemory {
        var last = ""
        try OwnProcess.run([
            StreamMemoryCommand._commandName, "--subject", subject.rawValue, "--rows", "\(rows)", "--folder", folder,
        ]) { last = $0 }
        return try JSONDecoder().decode(PeakMemory.self, from: Data(last.utf8))
    }
}
