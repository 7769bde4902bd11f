import Foundation
package import GranaryCore
import GranaryFormats
import GranaryPlatform

/// The objects of a seed of JSON, each with its entity as the root of its place: the objects of an importer whose
/// ``Importer/choose`` asks for ``entity(at:)``.
package struct SeedObjects: ImportSource {
    private let parts: [(entity: String, source: any ImportSource)]
    /// The number of objects; nil if they must be read to be counted.
    package private(set) var count: Int?

    /// - Throws: `notAStore` if nothing is at the URL, `invalidInput` if it is not a seed, `unknownEntity`.
    package init(_ url: URL, _ schema: Schema) throws {
        var isFolder: ObjCBool = false
        guard url.isFileURL, FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw GranaryError(
                .notAStore, "The seed \(url.path) does not exist. Check its path; the store was not created.")
        }
        if isFolder.boolValue {
            parts = try SeedObjects.files(in: url)
            guard !parts.isEmpty else {
                throw GranaryError(
                    .notAStore,
                    "The folder \(url.path) has no file of a seed, such as \(schema.entities.first?.name ?? "Artist").json. Check its path; the store was not created."
                )
            }
        } else {
            let lists = try SeedObjects.lists(in: url)
            parts = lists.map { ($0.entity, $0.source) }
            count = lists.reduce(0) { $0 + $1.count }
        }
        for part in parts { _ = try schema.position(ofEntity: part.entity) }
    }

    package static func entity(at place: ImportPlace) -> String? {
        guard case .key(let name)? = place.root?.steps.first else { return nil }
        return name
    }

    /// A checksum of the file, or of the files of a folder with their names.
    package static func checksum(_ url: URL) throws -> String {
        var sum: UInt64 = 0
        do {
            let names = try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
            for file in names.map({ $0.filter(ImportInput.isNamed).map { url.appending(path: $0) } }) ?? [url] {
                if names != nil {
                    sum = Array(file.lastPathComponent.utf8).withUnsafeBytes { hash64($0, seed: sum) }
                }
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty {
                    sum = chunk.withUnsafeBytes { hash64($0, seed: sum) }
                }
            }
        } catch {
            throw GranaryError(.io, "The seed \(url.path) cannot be read. Check its permissions and the disk.")
        }
        return String(sum, radix: 16)
    }

    private static func files(in folder: URL) throws -> [(entity: String, source: any ImportSource)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            let file = folder.appending(path: name)
            guard let entity = name.split(separator: ".").first, ImportInput.isNamed(name) else { return nil }
            return (String(entity), file)
        }
    }

    private static func lists(in file: URL) throws -> [(entity: String, source: any ImportSource, count: Int)] {
        var reader = try JSONReader(.file(file.path), JSONOptions())
        guard try reader.nextDocument() else { throw unfit(file, "is empty") }
        var packer = ItemPacker()
        let value = try packer.pack(try reader.next(), from: &reader).value()
        guard try !reader.nextDocument() else { throw unfit(file, "has something after its first value") }
        guard case .object(let object) = value else { throw unfit(file, "is \(value.kindName)") }
        return try object.members.map { member in
            guard case .array(let objects) = member.value else {
                throw unfit(file, "has \(member.value.kindName) at \(member.key)")
            }
            return (member.key, member.value, objects.count)
        }
    }

    private static func unfit(_ file: URL, _ what: String) -> GranaryError {
        GranaryError(
            .invalidInput,
            "The seed \(file.path) \(what). Write an object that has an array of objects for each entity, such as {\"Artist\": []}."
        )
    }

    package func makeReader(_ layout: ImportLayout) throws -> any ImportReader { SeedReader(parts[...]) }
}

/// The objects of several sources, one source after the other.
private final class SeedReader: ImportReader {
    private var parts: ArraySlice<(entity: String, source: any ImportSource)>
    private var current: (root: ImportPath, reader: any ImportReader)?

    init(_ parts: ArraySlice<(entity: String, source: any ImportSource)>) { self.parts = parts }

    func next() throws -> ImportItem? {
        while true {
            if let root = current?.root, var item = try current?.reader.next() {
                let place = item.place
                item.place.input = ImportPlace.Input(root: root, isTable: place.isTable, file: place.file)
                return item
            }
            guard let part = parts.popFirst() else { return nil }
            current = (ImportPath(keys: [part.entity]), try part.source.makeReader(ImportLayout()))
        }
    }

    func skip(after error: any Error) throws {
        guard current != nil else { throw error }
        try current?.reader.skip(after: error)
    }
}
