import GranaryCore

// The library's errors tell a program what to do next: which call, which argument. A person at a command line uses
// options and files instead. So when a verb reports an error, each advice that only a program could follow is replaced
// by one that names an option. All other parts of the message stay unchanged.
//
// The advice is only in the message, so it is found there by its words. A test looks for the words of this table in the
// sources of the library.

extension GranaryError {
    /// The error with advice for a command line, in place of advice for a program.
    func namingOptions() -> GranaryError {
        var error = self
        for advice in Advice.all + Advice.ofMigration(self) { error.message = advice.exchanged(in: error.message) }
        return error
    }
}

/// An advice of the library, and its replacement in the tool.
struct Advice: Sendable {
    /// The words of the library. `…` stands for a name between them; the replacement omits the name.
    let words: String
    let said: String

    private init(_ words: String, _ said: String) { (self.words, self.said) = (words, said) }

    fileprivate func exchanged(in message: String) -> String {
        let ends = words.split(separator: "…", maxSplits: 1)
        guard let first = ends.first, let start = message.firstRange(of: first) else { return message }
        var range = start
        if ends.count > 1 {
            guard let end = message[start.upperBound...].firstRange(of: ends[1]) else { return message }
            range = start.lowerBound..<end.upperBound
        }
        return String(message[..<range.lowerBound]) + said + message[range.upperBound...]
    }

    static let all = ofNames + ofSchemas + ofSteps + ofFiles + ofStores

    private static let ofNames = [Advice("Check the name, or add the type to Schema(...).", "Check the name.")]

    /// About a schema, which has been read from a file.
    private static let ofSchemas = [
        Advice("Pass your record types to Schema(...).", "Write at least one entity."),
        Advice("which the schema lacks. Add it to Schema(...).", "which the schema lacks. Add it to the entities."),
        Advice(
            "Add the record that owns them to Schema(...); there the relationship is ManyToMany(….self).",
            "Add them to the entities."),
        Advice("Mark one property with @Key.", "Give it one, or name another attribute as key."),
        Advice(
            "which only Data can be. Remove `.external`, or keep the value as Data.",
            "which only data can be. Remove external, or make its type data."),
        Advice("Convert them in a step of a plan.", "Remove renamedValues."),
    ]

    /// About a migration that fails because of a record or a step.
    private static let ofSteps = [
        Advice(
            "Change the record with the old schema, or convert … in a step of a migration plan.",
            "Change the record first: `set` does that."),
        Advice(
            "Give the attribute a default, or the record a value in a step of a migration plan.",
            "Give the attribute a default, or make it optional. If the store has the attribute, `set` can give the record a value first."
        ),
        Advice(
            "Take two steps: add … in a step that ends with reaching(_:), and make it the key in the next step.",
            "Migrate twice: add it first, and make it the key then."),
        Advice(
            "Open the store with the program that has it, or name it in squashing:.",
            "Use the tool of the program that has it."),
        Advice(
            "Give it one with down(_:), or let the plan end later.", "Use the tool of a program whose plan ends later."),
        Advice(
            "Add a release or a step that leads to the program's schema, or remove the schema of the last one.",
            "The program has to correct its plan."),
        Advice(
            "Pass the schema that the program had then: release(_:schema:) takes it from a file of `granary schema --json`.",
            "The program has to correct its plan."),
        Advice("Open the store itself with the plan once.", "Migrate the seed first."),
        Advice(
            "Open it with migration: .inferred, or with the schema it was made for.",
            "The app does not do that by itself. Name its schema with --to: `schema --json` prints it."),
        Advice("Close the stack, and open the store with the new schema.", "Run the verb again."),
    ]

    /// About files of records, and the file of mappings.
    private static let ofFiles = [
        Advice("Say .json(.file(path)) or .csv(.file(path)).", "Say it with --format."),
        Advice("set the importer's missingKey.", "give @missingKey in the file of --map."),
        Advice("Correct the importer's root.", "Correct @root in the file of --map."),
        Advice(
            "where the importer's root says so. Correct the root, or the source.",
            "where @root says so. Correct @root in the file of --map, or the source."),
        Advice("Leave the importer's root and isKeyed out.", "Leave @root and @keyed out of the file of --map."),
        Advice("Leave isKeyed out.", "Leave @keyed out of the file of --map."),
        Advice("leave the exporter's isKeyed out.", "leave @keyed out of the file of --map."),
        Advice("leave relationships and root out.", "leave --nested, --lists and @root out."),
        Advice("The exporter's root", "The path @root"),
        Advice(
            "Add PendingReference<….self to Schema(...).",
            "Give another value of missing in the file of --map, such as makeStub."),
        Advice(", or raise the importer's maximumHeldBytes.", "."),
        Advice("Remove one, or choose which of them counts with duplicateKeys.", "Remove one."),
        Advice("Set a greater maximumTextLength if this is right.", "Make it shorter."),
        Advice("Set a greater maximumRowLength if this is right.", "Make it shorter."),
        Advice("Set a greater maximumDepth if this is right.", "Make them flatter."),
        Advice("Set a greater maximumSize if this is right.", "If this is right, unpack it first."),
        Advice("Set a greater maximumRatio if this is right.", "If this is right, unpack it first."),
        Advice("import with the importer's commits = .every(100_000).", "import with --commit-every 100000."),
    ]

    /// About stores that are in use, or incomplete.
    private static let ofStores = [
        Advice("give a longer busy time-out.", "wait longer with --wait SECONDS."),
        Advice("give a longer time-out.", "wait longer with --wait SECONDS."),
        Advice("End snapshots, or raise maxReaders.", "End other programs that read it."),
        Advice("Choose a smaller mapSize.", "Free some memory, and try again."),
        Advice(
            "Open it for writing to create one, or destroy what is left.",
            "`seed` makes one there, and `destroy` removes what is left."),
        Advice(
            "There is no store yet: opening it makes one for this schema, and nothing is migrated.",
            "There is no store yet. `seed` makes one."),
    ]

    /// About changes of schema that may lose values: the options of `migrate` that allow them.
    fileprivate static func ofMigration(_ error: GranaryError) -> [Advice] {
        guard let planned = error.plannedMigration else { return [] }
        let said =
            if let options = planned.options {
                error.message.contains(ofSeeds)
                    ? "Values may be lost. If that is meant, migrate the seed first, or a copy of it, with \(options)."
                    : "Values may be lost. If that is meant, say so with \(options)."
            } else {
                refusal(of: planned)
            }
        return [
            Advice(
                "What may lose values is done only if a step of a migration plan says so: see MigrationStep.dropping and converting. Or open it with the schema it was made for.",
                said)
        ]
    }

    /// The advice if no option allows all refused changes.
    private static func refusal(of planned: PlannedMigration) -> String {
        let (options, others) = planned.dividedRefusals
        let advice = "Keep it as the store has it, or use the tool of an app that has a step for it."
        guard !options.isEmpty else { return "Values may be lost, and no option allows that. \(advice)" }
        return
            "Values may be lost. No option allows this: \(others.map(\.description).joined(separator: "; ")). \(advice) The rest is allowed with \(options.joined(separator: " "))."
    }

    /// The beginning of a seed's error.
    static let ofSeeds = "The seed cannot be used."

    /// The library's words for a verb that was ended by a signal.
    static let ofCancellation = [
        "The work was cancelled. The store is as it was.", "The read was cancelled.", "The import was cancelled.",
        "The export was cancelled.", "The write was cancelled before its turn.",
    ]
}
