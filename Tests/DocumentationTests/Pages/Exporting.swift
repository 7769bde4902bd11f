import Foundation
import Granary

func exportVenues(_ stack: Stack, to path: String) async throws -> Int {
    try await stack.export(Venue.all, to: .file(path)).exported  // venues.json, venues.jsonl.gz, venues.csv
}

func concertsAsCSV(in context: ReadContext) throws -> [UInt8] {
    try context.export(Request("Concert").sorted(by: "title"), to: .csv(.bytes)).bytes
}

/// Counts bytes, and drops them.
final class CountingSink: ByteSink {
    private(set) var count = 0

    func write(_ bytes: UnsafeRawBufferPointer) { count += bytes.count }
    func finish() {}
}

func exportNowhere(in context: ReadContext) throws -> Int {
    let report = try context.export(Venue.all, to: .json(ByteTarget("nothing") { CountingSink() }))
    return report.exported
}

func exportWithConcerts(_ stack: Stack) async throws -> [UInt8] {
    try await stack.export(Venue.all, to: .json(.bytes), with: Exporter(.nested(depth: 1))).bytes
}

func exportByKey(_ stack: Stack) async throws -> [UInt8] {
    var exporter = Exporter(.nested(depth: 1))
    exporter.isKeyed = true  // {"1":{...,"concerts":{"10":{"title":"Sunday",...}}},...}
    exporter.mapping = ImportMapping().map("id", from: "@key").relate("concerts", isKeyed: true)
    exporter.mappings["Concert"] = ImportMapping().map("id", from: "@key")
    return try await stack.export(Venue.sorted(by: \.id), to: .json(.bytes), with: exporter).bytes
}

let catalogue = ImportMapping()
    .map("name", from: "names.official", "venue_name")
    .dates(.pattern("yyyy-MM-dd"), for: "opened")
    .ignore("code")

func exportCatalogue(_ stack: Stack) async throws -> [UInt8] {
    var exporter = Exporter()
    exporter.mapping = catalogue
    exporter.root = "data.venues"
    return try await stack.export(Venue.all.sorted(by: \.id), to: .json(.bytes), with: exporter).bytes
}
