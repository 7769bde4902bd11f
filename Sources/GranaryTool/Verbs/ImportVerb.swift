import ArgumentParser
import GranaryCore
import GranaryFormats
import GranaryImport
import GranaryPlatform

struct ImportVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "import", abstract: "Import records from files of JSON, JSON lines or CSV.",
            discussion: """
                The name of a file tells its format: .json, .jsonl, .ndjson, .csv or .tsv, each perhaps with .gz; a folder is the \
                files in it; - is standard input. Records are found by their key or a unique attribute, and updated or \
                inserted. All files are one import, all or nothing: exit code 65 if a record is refused. With --keep-going \
                the others are imported, and the exit code is 65 all the same; so it is if a value was left out. With --commit-every the import is committed in \
                parts: when it ends early, what is committed stays, and --start goes on after it. With --policy mirror, which deletes the records \
                that the files do not have, it asks before; --dry-run says which these are. If they are more than --max-delete allows, \
                or if the files have no object and --max-delete is not given, nothing is done, with exit code 2.

                \(example(
                    "import Music.granary Artist artists.json", "import Music.granary Song songs.csv.gz --map map.json --dry-run",
                    "import Music.granary Artist - --format jsonl --policy mirror --yes --json < artists.jsonl"))
                """)
    }

    enum Policy: String, ExpressibleByArgument, CaseIterable {
        case upsert, insert, update, mirror

        var policy: ImportPolicy {
            switch self {
            case .upsert: .upsert
            case .insert: .insertOnly
            case .update: .updateOnly
            case .mirror: .mirror()
            }
        }
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Argument(help: "The records' entity.")
    var entity: String

    @Argument(help: "Files, folders, or - for standard input.")
    var files: [String]

    @Option(help: "A JSON file that says how keys become attributes: see the page \"The tool\".")
    var map: String?

    @Option(help: "Which records are written; mirror deletes those that the files do not have.")
    var policy = Policy.upsert

    @Option(help: "The format of all files.")
    var format: RecordFormat?

    @Option(help: "What divides the columns of CSV: one ASCII character, such as ';'. It is a comma without it.")
    var delimiter: String?

    @Option(
        help: """
            What surrounds fields of CSV that have a delimiter, a line break or a quote: one ASCII character, or none. It is " without \
            it, and none for TSV.
            """)
    var quote: QuoteArgument?

    @Flag(help: "The first line of CSV is a record: its columns are named 0, 1 and so on, which --map can name.")
    var noHeader = false

    @Flag(help: "Do everything, and keep nothing: the report says what would have happened.")
    var dryRun = false

    @Flag(help: "Leave out records that are refused, and import the others.")
    var keepGoing = false

    @Flag(help: "Refuse records with unknown keys, and values that cannot be converted.")
    var strict = false

    @Option(help: "Commit after this many objects, in place of once at the end.")
    var commitEvery: Int?

    @Option(help: "Pass over this many objects, which an import that ended early has committed.")
    var start = 0

    @Option(help: "With --policy mirror, the most records to delete: a number, or a share such as 10%.")
    var maxDelete: DeletionLimit?

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var options: FormatOptions

    func validate() throws {
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("- can be given once.") }
        if let commitEvery, commitEvery < 1 { throw ValidationError("--commit-every is at least 1.") }
        if start < 0 { throw ValidationError("--start is at least 0.") }
        if maxDelete != nil, policy != .mirror { throw ValidationError("--max-delete needs --policy mirror.") }
        if let delimiter, delimiter.utf8.count != 1 || delimiter.utf8.first.map({ $0 >= 0x80 }) ?? true {
            throw ValidationError("--delimiter is one ASCII character, such as ';'.")
        }
        if recordFiles.form != TableForm(), let format, format != .csv, format != .tsv {
            throw ValidationError(
                "--delimiter, --quote and --no-header are for CSV. Leave them out, or say --format csv.")
        }
        if files.isEmpty { throw ValidationError("Name a file, a folder, or - for standard input.") }
    }

    func state(after interruption: GranaryError?) -> String {
        let committed = interruption?.importReport?.committed ?? 0
        return committed > 0 ? "What was committed before stays." : "Nothing was changed."
    }

    func perform(_ output: Output) async throws {
        if policy == .mirror, !dryRun {
            try confirmation.ask("Delete each \(entity) of \(store) that the files do not have?")
        }
        for path in files where path != "-" {
            try RecordFormat.requireText(path)
            if format == nil { try RecordFormat.require(inNameOf: path) }
        }
        var importer = Importer(policy.policy)
        importer.failures = keepGoing ? .report : .throw
        importer.isDryRun = dryRun
        importer.isStrict = strict
        importer.commits = commitEvery.map { .every($0) } ?? .once
        importer.start = start
        if let file = try MappingFile(atPath: map) {
            importer.mappings = file.mappings
            importer.root = file.root?.description
            importer.isKeyed = file.isKeyed
            importer.missingKey = file.missingKey
        }
        importer.willDelete = { [entity, maxDelete] count, all, report in
            try DeletionLimit.check(count, of: all, entity, maxDelete, isEmpty: report.objects == 0)
        }
        let progress = ProgressLine()
        importer.progress = { [entity] in progress.show(entity, $0) }
        let source = recordFiles
        let (entity, finished) = (entity, importer)
        defer { progress.end() }
        let done = try await store.withRecordTypes(.readWrite) {
            stack -> (report: ImportReport, keyType: AttributeType) in
            let report = try await stack.import(source, as: entity, with: finished)
            let imported = stack.schema.entities[try stack.schema.position(ofEntity: entity)]
            return (report: report, keyType: imported.attributes[imported.keyPosition].type)
        }
        progress.end()
        try done.report.write(output, asJSON: isJSON, done.keyType)
        if dryRun, !isJSON { done.report.noteDeleted(entity, done.keyType) }
        if done.report.leavesOut { throw ToolExit.refused }
    }

    var recordFiles: RecordFiles {
        RecordFiles(
            paths: files, format: format,
            form: TableForm(delimiter: delimiter?.utf8.first, quote: quote, hasHeader: !noHeader))
    }
}

extension ImportReport {
    /// Whether a part of the source is missing in the store although it should be there.
    fileprivate var leavesOut: Bool { failed + failedLate + issueCount > 0 }

    /// The names of numbers in JSON that differ from their names in the text.
    private static let members = ["left out": "valuesLeftOut"]

    /// Prints the result. Failures go to standard error, or into the JSON.
    fileprivate func write(_ output: Output, asJSON: Bool, _ keyType: AttributeType) throws {
        var facts = Facts()
        for (name, number) in [
            ("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("repeated", repeated),
            ("skipped", skipped), ("failed", failed), ("left out", valuesLeftOut), ("deleted", deleted),
        ] {
            facts.add(name, "\(number)", (ImportReport.members[name] ?? name, .count(number)))
        }
        facts.add("failed late", failedLate > 0 ? "\(failedLate)" : nil, ("failedLate", .count(failedLate)))
        facts.add("deleted keys", nil, ("deletedKeys", .array(deletedKeys.map { $0.json(as: keyType) })))
        facts.add("issues", nil, ("issueCount", .count(issueCount)))
        facts.add("issues", nil, ("issues", .array(issues.map(\.json))))
        facts.add(
            "repeated objects", nil,
            ("repeatedObjects", .array(repeatedObjects.map(\.json))))
        facts.add("skipped objects", nil, ("skippedObjects", .array(skippedObjects.map(\.json))))
        facts.add(
            "pending references", pendingReferences > 0 ? "\(pendingReferences)" : nil,
            ("pendingReferences", .count(pendingReferences)))
        facts.add(
            "connected references", connectedReferences > 0 ? "\(connectedReferences)" : nil,
            ("connectedReferences", .count(connectedReferences)))
        let unknown = unknownKeys.sorted { $0.key < $1.key }
        facts.add(
            "unknown keys", nil,
            ("unknownKeys", .object(unknown.map { ($0.key, .array($0.value.map { .string($0) })) })))
        facts.add("unused paths", nil, ("unusedPaths", .array(unusedPaths.map(\.json))))
        try facts.write(output, asJSON: asJSON)
        guard !asJSON else { return }
        for path in unusedPaths { Notes.line(path.description.inOneLine) }
        for object in repeatedObjects.prefix(10) {
            let line = object.line.map { " (line \($0))" } ?? ""
            Notes.line("\(object.path)\(line): An earlier object was for the same record.".inOneLine)
        }
        if repeated > 10 { Notes.line("and \(repeated - 10) more for records of earlier objects") }
        for issue in issues { Notes.line(issue.text.inOneLine) }
        if issueCount > issues.count { Notes.line("and \(issueCount - issues.count) more") }
        for (entity, keys) in unknown {
            let names = keys.map { "`\($0)`" }.joined(separator: ", ")
            Notes.line(
                "Not imported, because \(entity) has no attribute of this name: \(names). Map these keys, or ignore them, in the file of --map."
                    .inOneLine)
        }
    }
}

extension ImportReport {
    /// For a dry run: prints which records the import would delete.
    fileprivate func noteDeleted(_ entity: String, _ keyType: AttributeType) {
        for key in deletedKeys.prefix(1_000) {
            Notes.line("It would delete \(entity) \(key.text(as: keyType) ?? "").".inOneLine)
        }
        if deletedKeys.count > 1_000 { Notes.line("and \(deletedKeys.count - 1_000) more") }
    }
}

extension UnusedPath {
    fileprivate var json: JSONText {
        .object([
            ("entity", .string(entity)), ("name", .string(name)), ("paths", .array(paths.map { .string($0) })),
        ])
    }
}

extension SkippedObject {
    fileprivate var json: JSONText {
        var members: [(String, JSONText)] = [("path", .string(path)), ("reason", .string(reason.rawValue))]
        if let line { members.append(("line", .count(line))) }
        return .object(members)
    }
}

extension RepeatedObject {
    fileprivate var json: JSONText {
        .object([("path", .string(path))] + (line.map { [("line", .count($0))] } ?? []))
    }
}

extension ImportIssue {
    /// The place and the reason, for a reader who may see the data.
    fileprivate var text: String {
        let error = error.namingOptions()
        let rest = kind == .notRead ? " The rest of the file was not read." : ""
        let text = error.descriptionWithData(atPlace: false) + rest
        // An error of reading input already has its place in the message.
        return error.position == nil ? "\(path)\(line.map { " (line \($0))" } ?? ""): \(text)" : text
    }

    fileprivate var json: JSONText {
        let isFailure = kind == .failed || kind == .notRead
        let places = Set(["path", "line", "committed"])
        var members: [(String, JSONText)] = [("path", .string(path))]
        if let line { members.append(("line", .count(line))) }
        members.append(("isFailure", .bool(isFailure)))
        members.append(("isRestUnread", .bool(kind == .notRead)))
        return .object(members + error.namingOptions().members.filter { !places.contains($0.0) })
    }
}
