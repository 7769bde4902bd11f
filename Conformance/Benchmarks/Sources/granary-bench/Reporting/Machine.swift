import CLMDBRaw
import CSQLiteRaw
import Foundation

/// What figures were measured on. It has no name of the machine or of its user.
struct Machine: Codable, Equatable {
    var processor: String
    var cores: Int
    /// In gigabytes of 2^30 bytes.
    var memory: Int
    var kernel: String
    /// The disk and the file system of the stores.
    var disk: String
    var swift: String
    var sqlite: String
    var lmdb: String

    /// - Parameter folder: Where the stores are made.
    static func current(folder: String) -> Machine {
        let process = ProcessInfo.processInfo
        return Machine(
            processor: processorName, cores: process.processorCount, memory: Int(process.physicalMemory >> 30),
            kernel: kernelName, disk: Mount(of: folder)?.description ?? "unknown", swift: swiftVersion,
            sqlite: String(cString: sqlite3_libversion()), lmdb: lmdbVersion)
    }

    /// Names and values, in the order in which a report has them.
    var facts: [(name: String, value: String)] {
        [
            ("Processor", processor), ("Cores", "\(cores)"), ("Memory", "\(memory) GiB"), ("Kernel", kernel),
            ("Disk and file system", disk), ("Swift", swift), ("SQLite", sqlite), ("LMDB", lmdb),
        ]
    }

    private static var processorName: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    private static var kernelName: String {
        func file(_ name: String) -> String? {
            let text = try? String(contentsOfFile: "/proc/sys/kernel/" + name, encoding: .utf8)
            return text?.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let names = [file("ostype"), file("osrelease")].compactMap(\.self)
        return names.isEmpty ? ProcessInfo.processInfo.operatingSystemVersionString : names.joined(separator: " ")
    }

    private static var lmdbVersion: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    /// The version of the tool chain that is installed: a program does not know the one that it was built with.
    private static var swiftVersion: String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "--version"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "unknown" }
        let text = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let place = words.firstIndex(of: "version"), place + 1 < words.count else { return "unknown" }
        return String(words[place + 1])
    }
}

/// The place in the tree of files at which a folder's disk begins.
private struct Mount: CustomStringConvertible {
    private var device = ""
    private var kind = ""

    init?(of folder: String) {
        let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        var longest = 0
        let lines = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8))?.split(separator: "\n") ?? []
        for fields in lines.map({ $0.split(separator: " ") }) where fields.count > 2 {
            let place = String(fields[1])
            let isAbove = place == "/" || path == place || path.hasPrefix(place + "/")
            // A later line covers an earlier one of the same place.
            guard isAbove, place.count >= longest else { continue }
            (longest, device, kind) = (place.count, String(fields[0]), String(fields[2]))
        }
        if longest == 0 { return nil }
    }

    var description: String {
        // A virtual disk says nothing that is true about what it lies on.
        let name = device.split(separator: "/").last.map(String.init) ?? device
        return "\(device.hasPrefix("/") ? name : device), \(kind)"
    }
}
