import ArgumentParser
import Foundation

/// How fast a file comes into a store, next to C, JSONSerialization and GRDB in the same run.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Times imports of JSON lines and CSV, next to JSONDecoder with GRDB.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many cities are generated; about 180 bytes each.")
    var cities = 234_908
    @Option(
        help: ArgumentHelp(
            "A file whose cities are imported in place of generated ones: a JSON array, an object of cities as cities15000.json is, or JSON lines.",
            valueName: "path"))
    var file: String?
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 3
    @Option(help: "Only this workload; can be given several times.")
    var workload: [ImportWorkload] = []
    @Option(help: "Only this subject; can be given several times. raw-sqlite runs in any case.")
    var subject: [ImportSubjectName] = []
    @Option(help: "Where the files and stores are made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard cities >= 1 else { throw ValidationError("--cities must be 1 or more.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        let parent = folder + "/granary-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: parent) }
        let files = try ImportFiles(cities: cities, file: file, folder: parent)
        let workloads = ImportWorkload.allCases.filter { workload.isEmpty || workload.contains($0) }
        let subjects = ImportSubjectName.allCases.filter {
            subject.isEmpty || subject.contains($0) || $0 == .rawSQLite
        }
        var figures = ImportFigures(subjects, workloads)
        for round in 0...rounds {
            for place in subjects.indices {
                let name = subjects[(place + round) % subjects.count]
                let measured = try measure(name, workloads, files, parent)
                guard round > 0 else { continue }
                for (workload, time) in measured { figures.add(time, of: workload, by: name) }
            }
            guard workloads.contains(.insert) else { continue }
            for reading in CityReading.allCases {
                let time = try measure(reading, files)
                if round > 0 { figures.add(time, of: reading) }
            }
        }
        try output.begin(Self.self, folder: folder, head: ImportFigures.head)
        try figures.report(files, output)
    }

    private func measure(_ reading: CityReading, _ files: ImportFiles) throws -> Duration {
        let start = ContinuousClock.now
        let content = try reading.read(files.lines)
        let time = ContinuousClock.now - start
        guard content == ImportWorkload.insert.content(files) else {
            throw BenchmarkError("\(reading.rawValue): other cities were read: \(content)")
        }
        return time
    }

    private func measure(
        _ name: ImportSubjectName, _ workloads: [ImportWorkload], _ files: ImportFiles, _ parent: String
    ) throws -> [(ImportWorkload, Duration)] {
        var measured: [(ImportWorkload, Duration)] = []
        var subject: (any ImportSubject)?
        for workload in ImportWorkload.allCases {
            let folder = parent + "/store"
            if workload.wantsEmptyStore {
                try subject?.close()
                try? FileManager.default.removeItem(atPath: folder)
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                subject = try name.open(folder: folder)
            }
            guard let subject, workloads.contains(workload) || workload == .insert else { continue }
            let start = ContinuousClock.now
            let isDone = try subject.run(workload, files)
            let time = ContinuousClock.now - start
            guard isDone else { continue }
            let content = try subject.content(after: workload)
            guard content == workload.content(files) else {
                throw BenchmarkError("\(name.rawValue) has a wrong content after \(workload.rawValue): \(content)")
            }
            if workloads.contains(workload) { measured.append((workload, time)) }
        }
        try subject?.close()
        return measured
    }
}

extension ImportWorkload: ExpressibleByArgument {}
extension ImportSubjectName: ExpressibleByArgument {}
