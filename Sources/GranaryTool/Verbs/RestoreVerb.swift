import ArgumentParser
import Foundation
import GranaryCore
import GranaryStoreKit

struct RestoreVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "restore", abstract: "Put a backup in the place of a store.",
            discussion: """
                Asks before, if there is a store. The backup stays. It is copied beside the store and checked; then the store is moved \
                aside, the copy takes its place, and what was moved aside is removed, unless --keep was given. If the process is \
                killed in between, the store may be beside its place, with `.replaced-` and a number in its name: restore again, which \
                puts it back first, and at the end removes what the killed restore has left. Exit code 75 if the store is open for longer than --wait says.

                \(example("restore Music.granary.backup Music.granary", "restore Backup.granary Music.granary --keep --yes"))
                """)
    }

    @Argument(help: "The backup.")
    var backup: StoreArgument

    @Argument(help: "The store whose place it takes, or a path where nothing is.")
    var store: StoreArgument

    @Flag(help: "Keep the store that was there, beside its place.")
    var keep = false

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let kind = try backup.kind()
        guard kind != .memory else {
            throw GranaryError(.unsupported, "A store in memory ends with its process. Name a backup on disk.")
        }
        guard try !store.namesKind || store.kind() == kind else {
            throw ValidationError("A backup is of the store's own kind. Use copy for another.")
        }
        let url = URL(filePath: store.path).standardizedFileURL
        let place = url.path
        try UnfinishedRestore.putBack(url)
        let isThere = FileManager.default.fileExists(atPath: place)
        if isThere { try confirmation.ask("Replace the store \(store.path) with \(backup.path)?") }
        var aside: String?
        if isThere {
            let unfinished = try UnfinishedRestore(of: url)
            let copy = place + unfinished.copySuffix
            _ = try await backup.backUp(to: copy)
            do {
                aside = try await replace(place, with: copy, kind, suffix: keep ? nil : unfinished.storeSuffix)
            } catch {
                try? await Stack.destroy(kind.provider(at: copy))
                throw error
            }
            if let path = aside, !keep {
                try await Stack.destroy(kind.provider(at: path))
                aside = nil
            }
        } else {
            _ = try await backup.backUp(to: place)
        }
        try await UnfinishedRestore.removeLeft(of: url, besides: URL(filePath: backup.path), kind)
        if isJSON {
            try output.json(.object([("restored", .string(place)), ("movedTo", .text(aside))]))
        } else if let aside {
            output.line("the store that was there is \(aside)")
        }
    }

    /// Moves the store aside, and the copy to its place. Returns the new path of the store.
    ///
    /// - Parameter suffix: The suffix for the store's new name; nil if the store is kept after the restore.
    private func replace(
        _ place: String, with copy: String, _ kind: StoreKind, suffix: String?
    ) async throws -> String {
        // A damaged copy must not replace a store.
        let faults = try await Stack(store: kind.provider(at: copy, access: .readOnly)).closing {
            try await $0.verify()
        }
        if let fault = faults.first {
            throw GranaryError(.corrupt, "The backup \(backup.path) is damaged: \(fault). The store is as it was.")
        }
        let aside = try await Waiting.forOthers {
            guard let suffix else { return try kind.provider(at: place).moveAside() }
            return try moveStoreAside(path: place, suffix: suffix)
        }
        do {
            try FileManager.default.moveItem(atPath: copy, toPath: place)
        } catch {
            try? FileManager.default.moveItem(atPath: aside, toPath: place)
            throw error
        }
        return aside
    }
}
