import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Where exports go: files that exist or cannot be written, archives, sinks that are full.

/// A sink that has room for some bytes.
private final class SmallSink: ByteSink {
    private var room: Int

    init(room: Int) { self.room = room }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        room -= bytes.count
        if room < 0 { throw GranaryError(.full, "No room.") }
    }

    func finish() {}
}

private func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
}

var exportTargetsCases: [ConformanceCase] {
    [
        ConformanceCase("export.file", in: .exporting, "the name of a file tells the format") { trial in
            try Shop(trial).read { snapshot in
                for (name, wanted) in [
                    ("a.json", #"[{"id":1,"label":"Rock"}]"# + "\n"), ("a.jsonl", #"{"id":1,"label":"Rock"}"# + "\n"),
                    ("a.NDJSON", #"{"id":1,"label":"Rock"}"# + "\n"), ("a.csv", "id,label\r\n1,Rock\r\n"),
                    ("a.tsv", "id\tlabel\r\n1\tRock\r\n"),
                ] {
                    let path = "\(trial.folder)/\(name)"
                    let report = try snapshot.export(Genre.all.limit(1), to: .file(path))
                    try expectEqual(try text(path), wanted)
                    try expectEqual(report.bytes, [])
                }
                try expectError(.unsupported) {
                    try snapshot.export(Genre.all, to: .file(trial.folder + "/a.txt")).exported
                }
            }
        },
        ConformanceCase("export.file-packed", in: .exporting, "a file that ends with .gz is packed, and imported again")
        {
            trial in
            let path = trial.folder + "/a.jsonl.gz"
            try Shop(trial).write { tx in
                _ = try tx.export(Genre.all, to: .file(path))
                try expectEqual([UInt8](try Data(contentsOf: URL(filePath: path)).prefix(2)), [0x1F, 0x8B])
                try expectEqual(try tx.import(URL(filePath: path), as: Genre.self).report.unchanged, 3)
            }
        },
        ConformanceCase("export.file-replaced", in: .exporting, "a file that exists is replaced as a whole, or stays") {
            trial in
            let path = trial.folder + "/a.json"
            try Data("before".utf8).write(to: URL(filePath: path))
            try trial.write { try $0.insert(Sample(id: 1, text: "a\0b")) }
            try trial.read { snapshot in
                _ = try expectError(.range) { try snapshot.export(Sample.all, to: .csv(.file(path))).exported }
                try expectEqual(try text(path), "before")
                let names = try FileManager.default.contentsOfDirectory(atPath: trial.folder)
                try expectEqual(names.filter { $0.hasPrefix("a.json") }, ["a.json"])
                _ = try snapshot.export(Ticket.all, to: .json(.file(path)))
                try expectEqual(try text(path), "[]\n")
            }
        },
        ConformanceCase("export.no-folder", in: .exporting, "a file in a folder that does not exist is refused") {
            trial in
            try Shop(trial).read { snapshot in
                try expectError(.invalidPath) {
                    try snapshot.export(Genre.all, to: .file(trial.folder + "/none/a.json")).exported
                }
                try expectError(.unsupported) { try snapshot.export(Genre.all, to: .file(trial.folder)).exported }
            }
        },
        ConformanceCase("export.no-permission", in: .exporting, "a file in a folder that may not be written is refused")
        {
            trial in
            let folder = trial.folder + "/closed"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
            try Shop(trial).read { snapshot in
                try withoutRightsOfRoot {
                    try expectError(.permissionDenied) {
                        try snapshot.export(Genre.all, to: .file(folder + "/a.json")).exported
                    }
                }
            }
        },
        ConformanceCase("export.no-room", in: .exporting, "an export to what is full fails, and the store can be used")
        {
            trial in
            try Shop(trial, filled: false).write { tx in
                try tx.insert((1...5_000).map { Employee(id: $0, label: "number \($0)") })
            }
            try trial.read { snapshot in
                for output in [ByteTarget("small") { SmallSink(room: 70_000) }, .file("/dev/full")] {
                    try expectError(.full) { try snapshot.export(Employee.all, to: .json(output)).exported }
                }
                try expectEqual(try snapshot.count(Employee.all), 5_000)
            }
        },
        ConformanceCase("export.own-target", in: .exporting, "an error of a target ends the export") { trial in
            try Shop(trial).read { snapshot in
                let target = ByteTarget("broken") { throw GranaryError(.io, "Broken.") }
                try expectError(.io) { try snapshot.export(Genre.all, to: .json(target)).exported }
            }
        },
    ]
}
