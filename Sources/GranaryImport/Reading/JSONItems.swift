import GranaryCore
import GranaryFormats

/// The objects of JSON, each made on demand.
final class JSONItems: ImportReader {
    private enum State {
        case start, elements, members, ended
    }

    // Used only by `next` and `skip`, which do not call each other.
    @exclusivity(unchecked) private var reader: JSONReader
    private let isKeyed: Bool
    /// The path to the records.
    private let way: [ImportPath.Step]
    private let input: ImportPlace.Input?
    private let isLines: Bool
    @exclusivity(unchecked) private var packer = ItemPacker()
    private var state = State.start
    private var index = 0
    /// The depth of the current object; nil before the first one.
    private var depth: Int?

    convenience init(_ source: ByteSource, _ options: JSONOptions, _ layout: ImportLayout) throws {
        self.init(try source.open(), name: source.name, file: source.fileName, options, layout)
    }

    /// - Parameters:
    ///   - name: The name of the source in errors.
    ///   - file: The name of the file.
    ///   - line: The number of the line that the stream begins with.
    ///   - offset: How many bytes of the source lie before the stream.
    ///   - index: How many objects lie before the stream.
    init(
        _ stream: any ByteStream, name: String, file: String?, _ options: JSONOptions, _ layout: ImportLayout,
        line: Int = 1, offset: Int = 0, index: Int = 0
    ) {
        // Recursive functions make the objects.
        var options = options
        options.maximumDepth = min(options.maximumDepth, ImportRun.maximumDepth)
        reader = JSONReader(stream, name: name, options, line: line, offset: offset)
        self.index = index
        isKeyed = layout.isKeyed
        way = layout.root?.steps ?? []
        input = layout.root == nil && file == nil ? nil : ImportPlace.Input(root: layout.root, file: file)
        isLines = options.layout == .lines
    }

    func next() throws -> ImportItem? {
        if isLines { return try nextLine() }
        if case .start = state {
            guard try reader.nextDocument() else { return nil }
            let event = try enter(way, try reader.next())
            if isKeyed {
                guard event == .beginObject else { throw notThere("a dictionary of objects") }
                state = .members
            } else if event == .beginArray {
                state = .elements
            } else {
                let line = reader.line
                depth = reader.depth - (event == .beginObject ? 1 : 0)
                state = .ended
                let value = try packer.pack(event, from: &reader)
                try end()
                return ImportItem(value, index: 0, line: line, isElement: false, input: input)
            }
        }
        switch state {
        case .elements:
            let event = try reader.next()
            guard event != .endArray else {
                try end()
                return nil
            }
            return try item(event, key: nil)
        case .members:
            guard try reader.next() == .key else {
                try end()
                return nil
            }
            let key = reader.string
            return try item(try reader.next(), key: key)
        case .start, .ended: return nil
        }
    }

    private func item(_ event: JSONEvent, key: String?) throws -> ImportItem {
        let line = reader.line
        depth = reader.depth - (event == .beginObject || event == .beginArray ? 1 : 0)
        let value = try packer.pack(event, from: &reader)
        index += 1
        return ImportItem(value, index: index - 1, key: key, line: line, input: input)
    }

    private func nextLine() throws -> ImportItem? {
        index += 1
        do {
            guard try reader.nextDocument() else { return nil }
            let line = reader.line
            let first = try enter(way, try reader.next())
            let value = try packer.pack(first, from: &reader)
            // The rest of the line may not be JSON, or may be a second value.
            while try reader.next() != .end {}
            return ImportItem(value, index: index - 1, line: line, input: input)
        } catch let error as GranaryError {
            throw error.at("$[\(index - 1)]\(error.position?.path.dropFirst() ?? "")")
        }
    }

    var bytesRead: Int { reader.bytesRead }

    func skip(after error: any Error) throws {
        guard isLines else {
            guard let depth else { throw error }
            try reader.skipRest(to: depth)
            index += 1
            if case .ended = state { try end() }
            return
        }
        do {
            try reader.skipLine()
        } catch let failure as GranaryError {
            throw failure.at("$[\(index - 1)]\(failure.position?.path.dropFirst() ?? "")")
        }
    }

    /// Reads the input after the records to its end: it may not be JSON.
    private func end() throws {
        state = .ended
        while try reader.next() != .end {}
    }

    /// Moves to a value within the document.
    private func enter(_ path: [ImportPath.Step], _ first: JSONEvent) throws -> JSONEvent {
        var event = first
        for step in path {
            switch step {
            case .key(let key):
                guard event == .beginObject else { throw notThere("an object") }
                while true {
                    guard try reader.next() == .key else { throw notThere("the key \"\(key)\"") }
                    if reader.string.hasSameBytes(as: key) { break }
                    try reader.skip()
                }
                event = try reader.next()
            case .element(let index):
                guard event == .beginArray else { throw notThere("an array") }
                event = try reader.next()
                for _ in 0..<index {
                    guard event != .endArray else { break }
                    try reader.skip()
                    event = try reader.next()
                }
                guard event != .endArray else { throw notThere("an element \(index)") }
            case .whole: break
            case .dictionaryKey, .index, .parent, .root: throw notThere("\(path)")
            }
        }
        return event
    }

    private func notThere(_ what: String) -> GranaryError {
        GranaryError(
            .typeMismatch,
            "The source does not have \(what) where the importer's root says so. Correct the root, or the source.")
    }
}

extension ImportValue {
    /// Parses a JSON text.
    ///
    /// - Throws: `invalidInput` for a text that is not JSON, with the line and the place of the mistake.
    public init(json text: String) throws {
        var reader = try JSONReader(.text(text))
        guard try reader.nextDocument() else {
            self = .null
            return
        }
        var packer = ItemPacker()
        self = try packer.pack(try reader.next(), from: &reader).value
        while try reader.next() != .end {}
    }
}
