import GranaryCore
import GranaryPlatform

/// A source whose objects are records of several entities, by their roots.
protocol SeveralRoots: ImportSource {}

/// A source of which several lists are imported, each as records of its entity, one list after the other.
struct RootedSource<Source: ImportSource>: SeveralRoots, AheadReadable, SizedSource {
    private let source: Source
    /// The paths to the lists, and the positions of the entities.
    private let roots: [(path: ImportPath, entity: Int)]

    /// - Throws: `invalidQuery` without a root, `unknownEntity`; `unsupported` for a source that can be read only once.
    init(_ source: Source, _ roots: KeyValuePairs<ImportPath, String>, in schema: Schema) throws {
        guard !roots.isEmpty else {
            throw GranaryError(
                .invalidQuery, "No list of the source is to be imported. Give at least one root and its entity.")
        }
        self.source = source
        self.roots = try roots.map { (path: $0.key, entity: try schema.position(ofEntity: $0.value)) }
        if roots.count > 1, let input = source as? ImportInput, input.isReadOnce {
            throw GranaryError(
                .unsupported,
                "A source is read once for each root, and the bytes of this one come only once. Import a file, or collect the bytes first."
            )
        }
    }

    /// The entity of the first root.
    var firstEntity: Int { roots.first?.entity ?? 0 }

    var canBeReadAhead: Bool { (source as? any AheadReadable)?.canBeReadAhead ?? false }
    var byteCount: Int? { (source as? any SizedSource)?.byteCount.map { $0 * roots.count } }

    func makeReader(_ layout: ImportLayout) throws -> any ImportReader {
        RootedItems(source, roots[...], layout)
    }
}

/// The objects of several lists of a source, one list after the other.
private final class RootedItems<Source: ImportSource>: ImportReader {
    private let source: Source
    private var roots: ArraySlice<(path: ImportPath, entity: Int)>
    private let layout: ImportLayout
    private var current: (reader: any ImportReader, entity: Int)?
    /// The input of the last object without its entity, and the same with the entity.
    private var named: (before: ImportPlace.Input, input: ImportPlace.Input)?
    /// The bytes of the lists before the current one.
    private var bytesBefore = 0

    init(_ source: Source, _ roots: ArraySlice<(path: ImportPath, entity: Int)>, _ layout: ImportLayout) {
        (self.source, self.roots, self.layout) = (source, roots, layout)
    }

    var bytesRead: Int { bytesBefore + (current?.reader.bytesRead ?? 0) }
    var fileName: String? { current?.reader.fileName }

    func next() throws -> ImportItem? {
        while true {
            if let (before, entity) = current {
                var reader = before
                let item = try reader.next()
                current = (reader, entity)
                if var item {
                    item.place.input = input(of: item.place, entity)
                    return item
                }
            }
            bytesBefore = bytesRead
            current = nil
            guard let root = roots.popFirst() else { return nil }
            var layout = layout
            layout.root = layout.root?.appending(root.path) ?? root.path
            current = (try source.makeReader(layout), root.entity)
        }
    }

    func skip(after error: any Error) throws {
        guard let (before, entity) = current else { throw error }
        var reader = before
        try reader.skip(after: error)
        current = (reader, entity)
    }

    private func input(of place: ImportPlace, _ entity: Int) -> ImportPlace.Input {
        guard let before = place.input else { return ImportPlace.Input(entity: entity) }
        if let named, named.before === before { return named.input }
        let input = ImportPlace.Input(
            root: before.root, isTable: before.isTable, isUnquoted: before.isUnquoted, file: before.file,
            isOneOfSeveral: before.isOneOfSeveral, entity: entity)
        named = (before, input)
        return input
    }
}

extension Importer {
    /// - Throws: `invalidQuery` for options about the records of one entity.
    func checkRoots() throws {
        let option: String
        switch policy {
        case .mirror: option = "policy mirror deletes the other records"
        case .upsert, .insertOnly, .updateOnly:
            if target == nil { return }
            option = "target is the only record"
        }
        throw GranaryError(
            .invalidQuery,
            "The importer's \(option) of one entity, and the source has roots of several. Leave it out, or import each list by itself."
        )
    }
}
