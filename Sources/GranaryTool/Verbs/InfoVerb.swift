import ArgumentParser
import GranaryCore
import GranaryPlatform
import GranaryStoreKit

struct InfoVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "info", abstract: "Say what a store is, what is in it, and how much room it takes.",
            discussion: example("info Music.granary", "info sqlite:Music.granary --json"))
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let (found, size) = (try store.onDisk(), try store.size())
        try await store.withStack { [store, isJSON] stack in
            try await stack.read { snapshot in
                var facts = Facts()
                if let found {
                    facts.add("path", found.path)
                } else {
                    facts.add("name", store.path)
                }
                facts.add("kind", stack.storeKind)
                if let found {
                    facts.add("format", "\(found.format)", ("format", .count(found.format)))
                    facts.add("generation", "\(found.generation)", ("generation", .count(found.generation)))
                }
                if let location = stack.location { facts.add("file", location) }
                if let size { facts.add("size", readableSize(size), ("bytes", .count(size))) }
                if let found, stack.schema.hasExternalAttributes {
                    let files = try found.externalFiles()
                    facts.add(
                        "external data", "\(files.count) files, \(readableSize(files.bytes))",
                        ("external", .object([("files", .count(files.count)), ("bytes", .count(files.bytes))])))
                }
                facts.add("schema", stack.schema.fingerprint, ("fingerprint", .string(stack.schema.fingerprint)))
                try InfoVerb.addCommits(snapshot, to: &facts)
                var known = stack.capabilities.features
                // If the store has a folder and can record changes, the folder gives it external data.
                if found != nil, known.contains(.changeRecording) { known.insert(.externalData) }
                let features = known.map(\.rawValue).sorted()
                facts.add(
                    "capabilities", features.joined(separator: ", "),
                    ("capabilities", .array(features.map { .string($0) })))
                try InfoVerb.addWords(snapshot, to: &facts)
                let counts = try stack.schema.entities.map { ($0, try snapshot.count(Request($0.name))) }
                facts.add("entities", nil, ("entities", .array(counts.map(InfoVerb.json))))
                try facts.write(output, asJSON: isJSON)
                guard !isJSON else { return }
                output.line()
                let rows = try ResultRows(
                    [.init(name: "entity", type: .string), .init(name: "records", type: .int64)], .table, output)
                for (entity, count) in counts { _ = try rows.add([.string(entity.path), .integer(Int64(count))]) }
                try rows.finish()
            }
        }
    }

    private static func addCommits(_ snapshot: Snapshot, to facts: inout Facts) throws {
        let (first, last) = (try snapshot.firstHistoryEntry(), try snapshot.lastHistoryEntry())
        let time = last.flatMap { DateText.text($0.time.rounded()) }
        let writer = last?.author.map { " by \($0.inOneLine)" } ?? ""
        facts.add(
            "commits", "\(snapshot.transactionNumber)" + (time.map { ", the last at \($0)\(writer)" } ?? ""),
            (
                "lastCommit",
                .object([
                    ("number", .count(snapshot.transactionNumber)), ("time", .text(time)),
                    ("author", .text(last?.author)),
                ])
            ))
        facts.add(
            "history", first.map { "since commit \($0.number)" } ?? "none",
            ("historySince", first.map { .count($0.number) } ?? .null))
    }

    private static func addWords(_ snapshot: Snapshot, to facts: inout Facts) throws {
        let indexes = try snapshot.wordIndexes()
        if indexes.isEmpty { return }
        let text = indexes.map { index in
            "\(index.entity): \(index.words) words of \(index.records) records, \(readableSize(index.bytes))"
        }
        let json = indexes.map { index in
            JSONText.object([
                ("entity", .string(index.entity)), ("records", .count(index.records)), ("words", .count(index.words)),
                ("bytes", .count(index.bytes)),
            ])
        }
        facts.add("indexes of words", text.joined(separator: "; "), ("words", .array(json)))
    }

    private static func json(_ entity: Entity, _ count: Int) -> JSONText {
        .object([
            ("name", .string(entity.name)), ("records", .count(count)), ("attributes", .count(entity.attributes.count)),
            ("indexes", .count(entity.indexes.count)),
        ])
    }
}
