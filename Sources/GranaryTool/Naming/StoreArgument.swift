import ArgumentParser
import Foundation
import GranaryCore
import GranaryStoreKit

/// A store on a command line.
///
/// | written | store |
/// |---|---|
/// | `PATH` | the store in this folder; the folder shows its kind |
/// | `sqlite:PATH`, `lmdb:PATH` | the same, but it must be of this kind |
/// | `memory:`, `memory:NAME` | a store in memory of this process, with the records of the app that embeds the tool |
/// | `STORE,NAME=STORE,...` | a store of several parts: the first one, and each other with its name |
///
/// If a path itself begins like this, write `./` before it.
struct StoreArgument: ExpressibleByArgument, Sendable, CustomStringConvertible {
    /// As it was written.
    let description: String
    let path: String
    private let givenKind: StoreKind?
    /// The other parts of a store of several.
    private let parts: [(name: String, store: StoreArgument)]

    static var defaultCompletionKind: CompletionKind { .directory }

    init?(argument: String) {
        description = argument
        var (argument, parts) = (argument, [(name: String, store: StoreArgument)]())
        let pieces = argument.split(separator: ",", omittingEmptySubsequences: false)
        if pieces.count > 1, !FileManager.default.fileExists(atPath: argument) {
            for piece in pieces.dropFirst() {
                let sides = piece.split(separator: "=", maxSplits: 1)
                guard sides.count == 2, let store = StoreArgument(argument: String(sides[1])), store.parts.isEmpty
                else { return nil }
                parts.append((String(sides[0]), store))
            }
            argument = String(pieces[0])
        }
        self.parts = parts
        for kind in StoreKind.allCases where argument.hasPrefix("\(kind.rawValue):") {
            (givenKind, path) = (kind, String(argument.dropFirst(kind.rawValue.count + 1)))
            return
        }
        (givenKind, path) = (nil, argument)
    }

    var namesKind: Bool { givenKind != nil }

    /// Throws if the path begins with a name and a colon, as `sqllite:Music` does, and does not exist: then the name is
    /// probably a misspelt kind.
    private func requireKnownKind() throws {
        guard !namesKind, let name = path.split(separator: ":", maxSplits: 1).first, name.endIndex < path.endIndex,
            !name.isEmpty, name.allSatisfy({ $0.isASCII && $0.isLetter }),
            !FileManager.default.fileExists(atPath: path)
        else { return }
        let kinds = StoreKind.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
        throw ValidationError(
            "\(name): is no kind of store; \(kinds) are. A path that begins so is written with ./ in front.")
    }

    /// The kind of the store, as its folder shows it.
    ///
    /// - Throws: `notAStore`, `invalidPath`, `newerFormat`, `corrupt`; `unsupported` for a kind that the tool does not
    ///   know.
    func kind() throws -> StoreKind {
        if let givenKind { return givenKind }
        try requireKnownKind()
        let found = try StoreOnDisk(at: path)
        guard let kind = StoreKind(rawValue: found.kind) else {
            throw GranaryError(
                .unsupported,
                "\(found.path) is a store for \(found.kind), which this tool does not know. Use the tool of the app that made it."
            )
        }
        return kind
    }

    /// The folder; nil for a store in memory.
    func onDisk() throws -> StoreOnDisk? { try kind() == .memory ? nil : StoreOnDisk(at: path) }

    /// The bytes of all files in the store's folder; nil for a store in memory.
    func size() throws -> Int? {
        let sizes = try parts.compactMap { try $0.store.size() }
        return try onDisk().map { StoreArgument.size(at: $0.path) + sizes.reduce(0, +) }
    }

    static func size(at folder: String) -> Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}

// Opening. A verb that only reads opens the store read-only; a verb that writes continues the store's history.
extension StoreArgument {
    /// Runs a body with a stack on the existing store, then closes the stack.
    func withStack<T>(_ access: StoreAccess = .readOnly, _ body: (Stack) async throws -> T) async throws -> T {
        try await open(access).closing(after: body)
    }

    private func open(_ access: StoreAccess) async throws -> Stack {
        let kind = try kind()
        guard kind != .memory else {
            guard let schema = ToolApplication.current.schema else {
                throw GranaryError(
                    .notAStore, "A store in memory is empty when the tool starts. Name a store on disk.")
            }
            return try await Stack(schema, store: try withParts(kind.provider(at: path), access))
        }
        let provider = try withParts(kind.provider(at: path, access: access), access)
        let stack = try await Stack(store: provider)
        // A commit without an entry would be a gap in the history, which other programs follow.
        guard access == .readWrite, try await stack.read({ try $0.lastHistoryEntry() }) != nil else { return stack }
        try await stack.close()
        return try await Stack(store: provider, history: .everything)
    }

    /// A provider of the store, for verbs that replace or change all of it.
    ///
    /// - Throws: `unsupported` for a store in memory, which ends with the tool.
    func provider(_ access: StoreAccess = .readWrite) throws -> any StoreProvider {
        let kind = try kind()
        guard kind != .memory else {
            throw GranaryError(.unsupported, "A store in memory ends with its process. Name a store on disk.")
        }
        return try withParts(kind.provider(at: path, access: access), access)
    }

    /// The provider with those of the other parts, each of which keeps the entities that it has.
    private func withParts(_ first: any StoreProvider, _ access: StoreAccess) throws -> any StoreProvider {
        if parts.isEmpty { return first }
        return PartsProvider(
            first,
            try parts.map { part in
                let provider = try part.store.provider(access)
                let store = try provider.readingOnly.openStored()
                defer { try? store.close() }
                return Part(
                    part.name, store.schema.entities.map(\.name).filter { $0 != Entity.partNotesName }, in: provider)
            })
    }

    /// A provider for a new store: of the kind in the argument, or else of the kind of `other`, or SQLite.
    func newStore(like other: StoreArgument?) throws -> any StoreProvider {
        guard parts.isEmpty else {
            throw GranaryError(.unsupported, "\(description) names several parts. Make each of them by itself.")
        }
        if namesKind { return try provider() }
        try requireKnownKind()
        let kind = try other?.kind() ?? .sqlite
        return (kind == .memory ? .sqlite : kind).provider(at: path)
    }

    /// The stored schema.
    func schema() async throws -> Schema { try await withStack { $0.schema } }
}

extension Snapshot {
    /// The history entry of the last commit; nil if the history has none.
    func lastHistoryEntry() throws -> HistoryEntry? {
        guard transactionNumber > 0 else { return nil }
        return try engine.reader().history(after: transactionNumber - 1, limit: 1).first
    }

    func firstHistoryEntry() throws -> HistoryEntry? { try engine.reader().history(after: 0, limit: 1).first }
}

extension Stack {
    /// Runs a body with the stack, then closes the stack.
    func closing<T>(after body: (Stack) async throws -> T) async throws -> T {
        let result: T
        do {
            result = try await body(self)
        } catch {
            try? await close()
            throw error
        }
        try await close()
        return result
    }
}
