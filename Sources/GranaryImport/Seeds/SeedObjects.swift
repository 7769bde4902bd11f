import Foundation
package import GranaryCore
import GranaryPlatform

/// The objects of a JSON seed. The root of each object's place is its entity, so an importer with ``entity(at:)`` as
/// its ``Importer/choose`` can import them.
package struct SeedObjects: ImportSource {
    private enum Form: Sendable {
        /// A file with an object of lists.
        case file(URL)
        case folder([(entity: String, file: any ImportSource)])
    }

    private let form: Form
    /// The number of objects; nil if they are in several files.
    package private(set) var count: Int?

    /// - Throws: `notAStore` if nothing exists at the URL, `invalidInput` if it is not a seed, `unknownEntity`.
    package init(_ url: URL, _ schema: Schema) throws {
        var isFolder: ObjCBool = false
        guard url.isFileURL, FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw GranaryError(
                .notAStore, "The seed \(url.path) does not exist. Check its path; the store was not created.")
        }
        var entities: [String] = []
        if isFolder.boolValue {
            let files = try SeedObjects.files(in: url)
            guard !files.isEmpty else {
                throw GranaryError(
                    .notAStore,
                    "The folder \(url.path) has no file of a seed, such as \(schema.entities.first?.name ?? "Artist").json. Check its path; the store was not created."
                )
            }
            entities = files.map(\.entity)
            form = .folder(files)
        } else {
            try SeedObjects.requireFile(url)
            let reader = try SeedListReader(url)
            var count = 0
            while let entity = try reader.nextList() {
                entities.append(entity)
                count += try reader.skipList()
            }
            self.count = count
            form = .file(url)
        }
        for entity in entities { _ = try schema.position(ofEntity: entity) }
    }

    package static func entity(at place: ImportPlace) -> String? {
        guard case .key(let name)? = place.root?.steps.first else { return nil }
        return name
    }

    /// Refuses anything but a regular file: a FIFO, for example, gives its bytes only once, but a seed is read several
    /// times.
    private static func requireFile(_ url: URL) throws {
        guard try FileSystem.status(FileSystem.realPath(url.path))?.kind == .file else {
            throw GranaryError(
                .invalidPath,
                "The seed \(url.path) is not a file, and a seed is read several times. Write it to a file, and give that."
            )
        }
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
                try requireFile(file)
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty {
                    sum = chunk.withUnsafeBytes { hash64($0, seed: sum) }
                }
            }
        } catch let error as GranaryError {
            throw error
        } catch {
            throw GranaryError(.io, "The seed \(url.path) cannot be read. Check its permissions and the disk.")
        }
        return String(sum, radix: 16)
    }

    private static func files(in folder: URL) throws -> [(entity: String, file: any ImportSource)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            let file = folder.appending(path: name)
            guard let entity = name.split(separator: ".").first, ImportInput.isNamed(name) else { return nil }
            return (String(entity), file)
        }
    }

    package func makeReader(_ layout: ImportLayout) throws -> any ImportReader {
        switch form {
        case .file(let file): try SeedListReader(file)
        case .folder(let files): SeedReader(files[...])
        }
    }
}

/// The objects of several files, one file after the other.
private final class SeedReader: ImportReader {
    private var parts: ArraySlice<(entity: String, file: any ImportSource)>
    private var current: (root: ImportPath, reader: any ImportReader)?
    /// How many bytes of earlier files were read.
    private var bytesBefore = 0

    init(_ parts: ArraySlice<(entity: String, file: any ImportSource)>) { self.parts = parts }

    var bytesRead: Int { bytesBefore + (current?.reader.bytesRead ?? 0) }

    func next() throws -> ImportItem? {
        while true {
            if let root = current?.root, var item = try current?.reader.next() {
                let place = item.place
                item.place.input = ImportPlace.Input(
                    root: root, isTable: place.isTable, isUnquoted: place.isUnquoted, file: place.file)
                return item
            }
            guard let part = parts.popFirst() else { return nil }
            bytesBefore = bytesRead
            current = (ImportPath(keys: [part.entity]), try part.file.makeReader(ImportLayout()))
        }
    }

    func skip(after error: any Error) throws {
        guard current != nil else { throw error }
        try current?.reader.skip(after: error)
    }
}
