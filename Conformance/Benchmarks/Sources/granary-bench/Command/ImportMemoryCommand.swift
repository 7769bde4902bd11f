import ArgumentParser
import Foundation
import GranaryCore
import GranaryFormats
import GranaryImport

/// How much memory a large import takes. One store in a process, because the kernel counts the most of all.
struct ImportMemoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-memory",
        abstract: "Imports a large file of JSON lines, written for it, and prints the most memory that was resident.")

    @OptionGroup var output: FigureOutput
    @Option(help: "The size of the file in MB.")
    var megabytes = 1_024
    @Option(help: "How long the name of each city is, in bytes; the rest is about 170.")
    var name = 20
    @Option(help: "sqlite or lmdb.")
    var store = "sqlite"
    @Option(help: "Where the file and the store are made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard megabytes >= 1 else { throw ValidationError("--megabytes must be 1 or more.") }
        guard name >= 0 else { throw ValidationError("--name must be 0 or more.") }
        guard ["sqlite", "lmdb"].contains(store) else { throw ValidationError("--store must be sqlite or lmdb.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let path = folder + "/cities.jsonl"
            let count = try write(path)
            let before = PeakMemory.current().resident
            let stack = try open(Schema(ImportedCity.self), URL(fileURLWithPath: folder))
            let start = ContinuousClock.now
            var importer = Importer()
            // One transaction of LMDB has no room for a million changed pages.
            if store == "lmdb" { importer.commits = .every(100_000) }
            let report = try stack.blocking.import(URL(fileURLWithPath: path), as: ImportedCity.self, with: importer)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            try stack.blocking.close()
            guard report.inserted == count else { throw BenchmarkError("\(report.inserted) of \(count) cities came.") }
            let after = PeakMemory.current().resident
            let subject = "granary-" + store
            try output.begin(
                Self.self, folder: folder, head: "\(megabytes) MB, \(count) cities into \(store)")
            try output.show(
                String(format: "%.1f s, at most %.1f MB resident, %.1f MB before the import", seconds, after, before),
                [
                    FigureLine("import", subject, measure: "time", value: seconds, unit: "s"),
                    FigureLine("import", subject, measure: "resident at most", value: after, unit: "MB"),
                    FigureLine("before the import", subject, measure: "resident at most", value: before, unit: "MB"),
                ])
        }
    }

    private func open(_ schema: Schema, _ folder: URL) throws -> Stack {
        if store == "sqlite" { return try SQLiteChoice.open(schema, folder: folder) }
        return try LMDBChoice.open(schema, folder: folder)
    }

    private func write(_ path: String) throws -> Int {
        let text = String(repeating: "x", count: name)
        let sink = try FileSink(path)
        var (id, bytes, line) = (0, 0, "")
        while bytes < megabytes << 20 {
            id += 1
            line =
                #"{"geonameid":\#(id),"name":"\#(text)","latitude":\#(Double(id % 90) + 0.25),"longitude":-7.5,"#
                + #""countrycode":"IS","population":\#(id % 1_000_000),"timezone":"Atlantic/Reykjavik","admin1code":"39"}"#
                + "\n"
            bytes += line.utf8.count
            try line.withUTF8 { try sink.write(UnsafeRawBufferPointer($0)) }
        }
        try sink.finish()
        return id
    }
}
