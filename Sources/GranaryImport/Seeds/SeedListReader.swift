import Foundation
import GranaryCore
import GranaryFormats

/// The objects of a file that is an object of lists: `{"Artist": [...], "Song": [...]}`. Each object is made on demand.
final class SeedListReader: ImportReader {
    private let file: URL
    private var reader: JSONReader
    private var packer = ItemPacker()
    /// The input of the list in progress.
    private var input: ImportPlace.Input?
    private var index = 0
    private var isEnded = false

    /// - Throws: `invalidInput` if the file is not an object; the errors of reading it.
    init(_ file: URL) throws {
        self.file = file
        // Recursive functions make the objects.
        reader = try JSONReader(.file(file.path), JSONOptions(maximumDepth: ImportRun.maximumDepth))
        guard try reader.nextDocument() else { throw unfit("is empty") }
        let event = try reader.next()
        guard event == .beginObject else { throw unfit("is \(event.kindName)") }
    }

    var bytesRead: Int { reader.bytesRead }

    func next() throws -> ImportItem? {
        while true {
            if let input {
                let event = try reader.next()
                if event != .endArray {
                    let line = reader.line
                    let value = try packer.pack(event, from: &reader)
                    index += 1
                    return ImportItem(value, index: index - 1, line: line, input: input)
                }
            }
            guard try nextList() != nil else { return nil }
        }
    }

    /// Goes to the next list, when the previous one has been read. Returns its entity; nil at the end of the file.
    ///
    /// - Throws: `invalidInput` if the value is not a list.
    func nextList() throws -> String? {
        input = nil
        guard !isEnded else { return nil }
        guard try reader.next() == .key else {
            isEnded = true
            // The rest of the file may not be JSON.
            while try reader.next() != .end {}
            return nil
        }
        let entity = reader.string
        let event = try reader.next()
        guard event == .beginArray else { throw unfit("has \(event.kindName) at \(entity)") }
        (input, index) = (ImportPlace.Input(root: ImportPath(keys: [entity])), 0)
        return entity
    }

    /// Reads a list to its end. Returns the number of its objects.
    func skipList() throws -> Int {
        var count = 0
        while try reader.next() != .endArray {
            try reader.skip()
            count += 1
        }
        return count
    }

    private func unfit(_ what: String) -> GranaryError {
        GranaryError(
            .invalidInput,
            "The seed \(file.path) \(what). Write an object that has an array of objects for each entity, such as {\"Artist\": []}."
        )
    }
}

extension JSONEvent {
    /// The kind of the value that it begins, for messages.
    fileprivate var kindName: String {
        switch self {
        case .beginObject, .endObject, .key: "an object"
        case .beginArray, .endArray: "an array"
        case .string: "a string"
        case .number: "a number"
        case .true, .false: "a boolean"
        case .null: "null"
        case .end: "empty"
        }
    }
}
