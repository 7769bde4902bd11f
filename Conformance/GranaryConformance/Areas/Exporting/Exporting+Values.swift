import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Every value is read back as it was, from every format.

/// Exports samples and imports them into an empty store, in each format.
private func sameAgain(_ id: String, _ what: String, _ samples: [Sample]) -> ConformanceCase {
    ConformanceCase("export.\(id)", in: .exporting, "\(what) are read back as they were, from every format") { trial in
        // In this order, so that keys are those of their places.
        let samples = samples.enumerated().map { index, sample in
            var sample = sample
            sample.id = Int64(index)
            return sample
        }
        try trial.write { try $0.insert(samples) }
        let formats: [(String, ExportOutput)] = [
            ("json", .json(.bytes)), ("lines", .lines), ("csv", .table), ("tsv", .csv(.bytes, .tsv)),
        ]
        for (name, output) in formats {
            let isTable = name == "csv" || name == "tsv"
            let wanted =
                isTable
                ? try samples.filter { try fits($0, output, isUnquoted: name == "tsv", trial) } : samples
            let isWanted = AnyCondition.among("id", wanted.map { .integer($0.id) })
            let query = Sample.where(Condition(isWanted))
            let bytes = try trial.read { try $0.export(query, to: output).bytes }
            try trial.write { tx in
                _ = try Sample.all.deleteAll(in: tx)
                let source: ImportInput =
                    isTable
                    ? .csv(.bytes(bytes), name == "tsv" ? .tsv : CSVOptions())
                    : .json(.bytes(bytes), JSONOptions(layout: name == "lines" ? .lines : .document))
                let result = try tx.import(source, as: Sample.self)
                try expectEqual(result.report.issues.map(\.description), [], name)
                try expectEqual(result.records, wanted, name)
                _ = try Sample.all.deleteAll(in: tx)
                try tx.insert(samples)
            }
        }
    }
}

/// Whether a table can have a sample: it has no NUL, and without quotes no tab, no line break, and no empty text beside nil. The
/// export of any other sample is refused.
private func fits(
    _ sample: Sample, _ output: ExportOutput, isUnquoted: Bool, _ trial: Trial
) throws -> Bool {
    let special: [UInt8] = isUnquoted ? [0, 0x09, 0x0A, 0x0D] : [0]
    let isEmpty = [sample.text.map(\.isEmpty), sample.data.map(\.isEmpty), sample.bytes.map(\.isEmpty)].contains(true)
    if !(sample.text ?? "").utf8.contains(where: special.contains), !isUnquoted || !isEmpty { return true }
    try trial.read { snapshot in
        _ = try expectError(.range) {
            try snapshot.export(Sample.where { $0.id == sample.id }, to: output).exported
        }
    }
    return false
}

var exportValuesCases: [ConformanceCase] {
    [
        sameAgain("values-bool", "booleans", Boundaries.bool.map { Sample(id: 0, flag: $0) }),
        sameAgain(
            "values-signed", "integers",
            Boundaries.integer(Int8.self).map { Sample(id: 0, int8: $0) }
                + Boundaries.integer(Int16.self).map { Sample(id: 0, int16: $0) }
                + Boundaries.integer(Int32.self).map { Sample(id: 0, int32: $0) }
                + Boundaries.int64.map { Sample(id: 0, integer: $0) }),
        sameAgain(
            "values-unsigned", "integers without a sign",
            Boundaries.unsigned(UInt8.self).map { Sample(id: 0, uint8: $0) }
                + Boundaries.unsigned(UInt16.self).map { Sample(id: 0, uint16: $0) }
                + Boundaries.unsigned(UInt32.self).map { Sample(id: 0, uint32: $0) }
                + Boundaries.uint64.map { Sample(id: 0, uint64: $0) }),
        sameAgain("values-float", "floats, infinity too,", Boundaries.float.map { Sample(id: 0, float: $0) }),
        sameAgain("values-double", "doubles, infinity too,", Boundaries.double.map { Sample(id: 0, double: $0) }),
        sameAgain("values-decimal", "decimals", Boundaries.decimal.map { Sample(id: 0, decimal: $0) }),
        sameAgain("values-text", "texts", Boundaries.text.map { Sample(id: 0, text: $0) }),
        sameAgain(
            "values-hostile", "texts with quotes, line ends, delimiters and control characters",
            [
                "\"", "\"\"", ",", ";", "\r\n", "\n", "\r", "a\"b,c\r\nd", "\u{FEFF}", "\u{FEFF}a", " a ", "\t", "\\",
                "\\n",
                "null", "NULL", "true", "1", "=1+1", "\u{1}\u{1F}\u{7F}\u{80}", "\u{2028}\u{2029}", "{}", "[1]", "'",
                "\u{202E}x",
            ].map { Sample(id: 0, text: $0) }),
        sameAgain(
            "values-data", "data",
            Boundaries.bytes.map { Sample(id: 0, data: Data($0)) } + Boundaries.bytes.map { Sample(id: 0, bytes: $0) }
                + [Sample(id: 0, data: Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }))]),
        sameAgain(
            "values-date", "dates, with every digit that they need,",
            (Boundaries.date
                + [
                    0.001, -0.001, 0.25, 123_456_789.123_456_7, -978_307_199.999_9, 252_423_993_599.75,
                    -63_145_526_399.5,
                ]
                .map { Date(timeIntervalSinceReferenceDate: $0) })
                .map { Sample(id: 0, date: $0) }),
        sameAgain("values-uuid", "UUIDs", Boundaries.uuid.map { Sample(id: 0, uuid: $0) }),
        sameAgain("values-url", "URLs", Boundaries.url.map { Sample(id: 0, url: $0) }),
        sameAgain("values-enum", "enums", Boundaries.mood.map { Sample(id: 0, mood: $0) }),
        sameAgain(
            "values-json", "Codable values",
            (Boundaries.json + [JSON(Extra(tags: ["a,\"b\"\n", "", "\u{E9}/\\"], depth: -1))]).map {
                Sample(id: 0, json: $0)
            }),
        sameAgain("values-nil", "values that are nil", [Sample(id: 0), Sample(id: 0, text: "")]),
        ConformanceCase("export.values-text-of", in: .exporting, "each type is written in the form that the page says")
        {
            trial in
            try trial.write { tx in
                try tx.insert(
                    Sample(
                        id: 1, flag: true, integer: -7, uint64: UInt64(Int64.max), float: 0.1, double: 1e300,
                        decimal: Boundaries.decimal("12.50"), text: "\u{E9}\n", data: Data([0, 255]),
                        date: Date(timeIntervalSinceReferenceDate: 736_214_400.25),
                        uuid: UUID(uuidString: "00FF0000-0000-0000-0000-000000000000"),
                        url: URL(string: "https://a.example/"),
                        mood: .calm, json: JSON(Extra(tags: ["x"], depth: 2))))
            }
            try trial.read { snapshot in
                var exporter = Exporter()
                exporter.mapping = ImportMapping().ignore(
                    "int8", "int16", "int32", "uint8", "uint16", "uint32", "bytes")
                try expectEqual(
                    try snapshot.exported(Sample.all, .lines, exporter),
                    #"{"id":1,"flag":true,"integer":-7,"uint64":9223372036854775807,"float":0.1,"double":1e+300,"#
                        + #""decimal":12.5,"text":"\#u{E9}\n","data":"AP8=","date":"2024-05-01T00:00:00.25Z","#
                        + #""uuid":"00FF0000-0000-0000-0000-000000000000","url":"https://a.example/","mood":"calm","#
                        + #""json":{"depth":2,"tags":["x"]}}"# + "\n")
            }
        },
        ConformanceCase(
            "export.csv-nul", in: .exporting, "a text that CSV has no form for fails the export, with its attribute"
        ) { trial in
            try trial.write { try $0.insert(Sample(id: 1, text: "a\0b")) }
            try trial.read { snapshot in
                _ = try expectError(.range, entity: "Sample", attributes: ["text"]) {
                    try snapshot.export(Sample.all, to: .table).exported
                }
            }
        },
        ConformanceCase("export.scaled", in: .exporting, "decimals with fixed places are written with their digits") {
            trial in
            try Shop(trial).read { snapshot in
                var exporter = Exporter()
                exporter.mapping = ImportMapping().map("id", from: "id").map("cents", from: "cents").withoutInference()
                try expectEqual(
                    try snapshot.exported(Song.where { $0.cents != nil }.limit(3), .table, exporter),
                    "id,cents\r\n1,0.99\r\n2,1.5\r\n4,0.99\r\n")
            }
        },
    ]
}
