import Foundation
import GranaryCore
import GranaryFormats

/// The objects of a file that is an object of lists: `{"Artist": [...], "Song": [...]}`. Each is made when it is asked for.
final class SeedListReader: ImportReader {
    private let file: URL
    private var reader: JSONReader
    private var packer = ItemPacker()
    /// The list that is being read.
    private var input: ImportPlace.Input?
    private var index = 0
    private var isEnded = false

    /// - Throws: `invalidInput` if it is not an object, and what reading throws.
    init(_ file: URL) throws {
        self.file = file
        // An object is made by functions that call themselves.
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

    /// Goes to the next list, where the last one is read. Returns its entity; nil at the end of the file.
    ///
    /// - Throws: `invalidInput` if something else is there.
    func nextList() throws -> String? {
        input = nil
        guard !isEnded else { return nil }
        guard try reader.next() == .key else {
            isEnded = true
            // What follows may not be JSON.
            while try reader.next() != .end {}
            return nil
        }
        let entity = reader.string
        let event = try reader.next()
        guard event == .beginArray else { throw unfit("has \(event.kindName) at \(entity)") }
        (input, index) = (ImportPlace.Input(root: ImportPath(keys: [entity])), 0)
        return entity
    }

    /// Reads a list to its end. Returns how many objects it has.
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
    /// What kind of value it begins, for messages.
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
