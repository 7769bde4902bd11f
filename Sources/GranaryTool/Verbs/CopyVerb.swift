import ArgumentParser
import Foundation
import GranaryCore

struct CopyVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "copy", abstract: "Copy a store into a new one, of the same or of another kind.",
            discussion: """
                Records, links and their order, assigned keys and the history, if the store keeps one, are copied, and what was \
                written is read again and compared. Other programs may read and write meanwhile. The copy is there whole, or not at all; a store that \
                exists is never replaced: exit code 66. A copy to sqlite: is one that other tools read.

                \(example("copy Music.granary Copy.granary", "copy Music.granary lmdb:Copy.granary --json"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Argument(help: "Where the copy is to be.")
    var copy: StoreArgument

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let provider = try copy.newStore(like: store)
        let progress = ProgressLine()
        defer { progress.end() }
        let made = try await store.withStack { try await $0.copy(to: provider, onProgress: progress.show) }
        progress.end()
        try await made.write(output, asJSON: isJSON, showsHistory: true)
    }
}

struct BackupVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "backup", abstract: "Make a backup of a store, by the means of its engine.",
            discussion: """
                The backup is a store of the same kind; that of an SQLite store has the store's free space, too. Other programs \
                may read and write meanwhile. What exists is never replaced: exit code 66.

                \(example("backup Music.granary Backup.granary", "backup Music.granary /media/Music.granary --json"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Argument(help: "Where the backup is to be: a path.")
    var backup: StoreArgument

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        guard try !backup.namesKind || backup.kind() == store.kind() else {
            throw ValidationError("A backup is of the store's own kind. Use copy for another.")
        }
        let place = try await store.backUp(to: backup.path)
        if isJSON {
            try output.json(.object([("backup", .string(place.path)), ("bytes", .count(place.size))]))
        } else {
            output.line("\(place.path), \(readableSize(place.size))")
        }
    }
}

extension StoreArgument {
    /// Makes a backup of the store.
    func backUp(to path: String) async throws -> (path: String, size: Int) {
        let url = URL(filePath: path)
        let progress = ProgressLine()
        defer { progress.end() }
        try await withStack { try await $0.backUp(to: url, onProgress: progress.show) }
        return (url.path, StoreArgument.size(at: url.path))
    }

    /// A free path for a backup beside the store.
    func backupPath() -> String {
        StoreArgument.freePath(beside: URL(filePath: path).standardizedFileURL.path, "backup")
    }

    /// The path of a store with a word added, and a number if that path is taken: `Music.granary.backup-2`.
    static func freePath(beside path: String, _ word: String) -> String {
        var (place, number) = ("\(path).\(word)", 1)
        while FileManager.default.fileExists(atPath: place) {
            number += 1
            place = "\(path).\(word)-\(number)"
        }
        return place
    }
}
