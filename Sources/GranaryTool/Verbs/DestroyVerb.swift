import ArgumentParser
import GranaryCore
import GranaryStoreKit

struct DestroyVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "destroy", abstract: "Remove a store with all its data.",
            discussion: """
                Asks before. A damaged store is removed, too, and so is what is left of one that was never finished; files in its \
                folder that are not the store's stay. If something else has overwritten the file CURRENT, the folder is not known \
                as a store. A store of a newer version is not touched either. Remove such folders yourself. Exit code 75 if the \
                store is open for longer than --wait says.

                \(example("destroy Music.granary", "destroy Music.granary --yes"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        let kind: StoreKind?
        do {
            kind = try store.kind()
        } catch let error as GranaryError where [.corrupt, .unsupported, .notAStore].contains(error.code) {
            guard try error.code != .notAStore || StoreOnDisk.isUnfinished(at: store.path) else { throw error }
            // A store that cannot be opened can still be removed, and so can the rest of an unfinished store.
            kind = nil
        }
        guard kind != .memory else {
            throw GranaryError(.unsupported, "A store in memory ends with its process. Name a store on disk.")
        }
        if store.namesKind, let found = try? StoreOnDisk(at: store.path), found.kind != kind?.rawValue {
            throw GranaryError(.notAStore, "\(found.path) is a store for \(found.kind). Name it by its path alone.")
        }
        try confirmation.ask("Destroy the store \(store.path) with all its data?")
        try await Waiting.forOthers { try StoreOnDisk.destroy(at: store.path) }
        if let left = try StoreOnDisk.fileLeft(at: store.path) {
            Notes.line(
                "\(store.path) stays: it has files that are not the store's, \(left) among them. No store is made there until they are gone."
            )
        }
        if isJSON { try output.json(.object([("destroyed", .string(store.path))])) }
    }
}
