import GranaryPlatform

/// Where in its source an object or a value is: what hooks and transformers are told besides the value.
public struct ImportPlace: Sendable {
    /// The place in the array that the object is in, from 0; 0 of one that is not in an array.
    public let index: Int
    /// The key under which the object is in a dictionary of objects; nil elsewhere.
    public let key: String?
    /// The line where it begins, from 1; nil if the source has no lines.
    public let line: Int?
    /// The object that this one is nested in.
    let parent: ParentObject?
    /// The key of the parent that it is the value of.
    private let field: String?
    /// Where in the source the records are.
    var root: ImportPath?
    private let isElement: Bool
    /// Whether every value is a text, as in CSV, so that what is not a text is written as one.
    var isTable = false
    /// The name of the file, in a folder that is imported.
    var file: String?

    /// A record of the source itself.
    init(index: Int, key: String? = nil, line: Int? = nil, isElement: Bool = true, root: ImportPath? = nil) {
        self.index = index
        self.key = key
        self.line = line
        self.isElement = isElement
        parent = nil
        field = nil
        self.root = root
    }

    /// A value of an object, or an element of one.
    init(_ field: String, of parent: ParentObject, index: Int? = nil, key: String? = nil) {
        self.index = index ?? 0
        self.key = key
        line = parent.place.line
        isElement = index != nil
        self.parent = parent
        self.field = field
        root = nil
    }

    /// The object that this one is nested in; nil of a record of the source itself.
    public var parentObject: ImportValue? { parent?.value }

    /// The way from the root of the source: `$[3].songs[0].title`. Of a folder it begins with the name of the file:
    /// `artists.json: $[3].songs[0].title`.
    public var path: String {
        var text = parent.map(\.place.path) ?? file.map { "\($0): $" } ?? "$"
        if let root { text += ".\(root)" }
        if let field { text += ".\(field)" }
        if let key { text += ".\(key)" } else if isElement { text += "[\(index)]" }
        return text
    }

    func path(_ key: String) -> String { key.isEmpty ? path : "\(path).\(key)" }
}

/// An object and its place, for what is nested in it.
final class ParentObject: Sendable {
    let place: ImportPlace
    private let content: ImportContent
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var made: ImportValue?

    init(_ content: ImportContent, _ place: ImportPlace) {
        self.content = content
        self.place = place
    }

    /// The object, made when it is asked for the first time.
    var value: ImportValue {
        if case .value(let value) = content { return value }
        return lock.withLock {
            let value = made ?? content.value
            made = value
            return value
        }
    }
}
