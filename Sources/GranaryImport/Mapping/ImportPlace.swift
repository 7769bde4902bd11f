import GranaryPlatform

/// Where in its source an object or a value is: what hooks and transformers are told besides the value.
///
/// Every row has one, so it is small: what most objects of a source have in common, or do not have, lies elsewhere.
public struct ImportPlace: Sendable {
    /// What all objects of a source have in common.
    final class Input: Sendable {
        /// Where in the source the records are.
        let root: ImportPath?
        /// Whether every value is a text, as in CSV, so that what is not a text is written as one.
        let isTable: Bool
        /// Whether it is a table without quotes, in which an empty field is also how an empty text is written.
        let isUnquoted: Bool
        /// The name of the file.
        let file: String?
        /// Whether it is one of several files, so that paths begin with its name.
        let isOneOfSeveral: Bool

        init(
            root: ImportPath? = nil, isTable: Bool = false, isUnquoted: Bool = false, file: String? = nil,
            isOneOfSeveral: Bool = false
        ) {
            self.root = root
            self.isTable = isTable
            self.isUnquoted = isUnquoted
            self.file = file
            self.isOneOfSeveral = isOneOfSeveral
        }
    }

    /// The place of what is not an element of the source's array of records.
    private final class Inner: Sendable {
        let parent: ParentObject?
        /// The key of the parent that it is the value of.
        let field: String?
        let key: String?
        let isElement: Bool
        /// The whole path, of a place that has nothing else.
        let path: String?

        init(
            parent: ParentObject? = nil, field: String? = nil, key: String?, isElement: Bool, path: String? = nil
        ) {
            self.parent = parent
            self.field = field
            self.key = key
            self.isElement = isElement
            self.path = path
        }
    }

    /// The place in the array that the object is in, from 0; 0 of one that is not in an array.
    public let index: Int
    /// 0 if the source has no lines.
    private let lineNumber: Int
    private var inner: Inner?
    /// Nil if the source is the array of the records, in JSON that is not in a file.
    var input: Input?

    /// A record of the source itself.
    init(index: Int, key: String? = nil, line: Int? = nil, isElement: Bool = true, input: Input? = nil) {
        self.index = index
        lineNumber = line ?? 0
        inner = key == nil && isElement ? nil : Inner(key: key, isElement: isElement)
        self.input = input
    }

    /// A value of an object, or an element of one.
    init(_ field: String, of parent: ParentObject, index: Int? = nil, key: String? = nil) {
        self.index = index ?? 0
        lineNumber = parent.place.lineNumber
        inner = Inner(parent: parent, field: field, key: key, isElement: index != nil)
        input = nil
    }

    /// The place of another element of the same array.
    func sibling(at index: Int) -> ImportPlace { ImportPlace(index: index, lineNumber, inner, input) }

    private init(index: Int, _ lineNumber: Int, _ inner: Inner?, _ input: Input?) {
        (self.index, self.lineNumber, self.inner, self.input) = (index, lineNumber, inner, input)
    }

    /// The key under which the object is in a dictionary of objects; nil elsewhere.
    public var key: String? { inner?.key }
    /// The line where it begins, from 1; nil if the source has no lines.
    public var line: Int? { lineNumber == 0 ? nil : lineNumber }
    /// The object that this one is nested in.
    var parent: ParentObject? { inner?.parent }
    var root: ImportPath? { input?.root }
    var isTable: Bool { input?.isTable ?? false }
    var isUnquoted: Bool { input?.isUnquoted ?? false }
    var file: String? { input?.file }
    /// Whether paths begin with the name of the file.
    var namesFile: Bool { input?.isOneOfSeveral ?? false }
    /// Whether it is in an array or a dictionary of objects.
    var isInArray: Bool { inner?.isElement ?? true }

    /// The object that this one is nested in; nil of a record of the source itself.
    public var parentObject: ImportValue? { parent?.value }

    /// The outermost object that this one is nested in; nil of a record of the source itself.
    public var rootObject: ImportValue? {
        var outermost = parent
        while let outer = outermost?.place.parent { outermost = outer }
        return outermost?.value
    }

    /// The name of the file that it is from; nil if the source is not a file or a folder.
    public var fileName: String? {
        var place = self
        while let outer = place.parent?.place { place = outer }
        return place.file
    }

    /// The way from the root of the source: `$[3].songs[0].title`. Of a folder it begins with the name of the file:
    /// `artists.json: $[3].songs[0].title`.
    public var path: String {
        // From the inside: objects may be nested hundreds of times.
        var parts: [String] = []
        var place = self
        while place.inner?.path == nil, let outer = place.parent?.place {
            parts.append(place.lastPart)
            place = outer
        }
        if let path = place.inner?.path {
            parts.append(path)
        } else {
            let start = place.namesFile ? place.file.map { "\($0): $" } : nil
            parts += [place.lastPart, start ?? "$"]
        }
        return parts.reversed().joined()
    }

    /// What the path has of this place alone.
    private var lastPart: String {
        var text = root.map { ".\($0)" } ?? ""
        if let field = inner?.field { text += ".\(field)" }
        if let key { text += ".\(key)" } else if isInArray { text += "[\(index)]" }
        return text
    }

    func path(_ key: String) -> String { key.isEmpty ? path : "\(path).\(key)" }

    /// The same path and line without the objects that the place is within: they stay in memory as long as it does, with all
    /// that was read together with them.
    var detached: ImportPlace {
        guard parent != nil else { return self }
        var place = self
        place.inner = Inner(key: nil, isElement: false, path: path)
        return place
    }

    /// The same place within copies of the objects, with which nothing else stays in memory.
    var withOwnObjects: ImportPlace {
        var places = [self]
        while let outer = places.last?.parent?.place { places.append(outer) }
        // From the outside, as each is within the one before.
        var outer = places.removeLast()
        for var place in places.reversed() {
            guard let inner = place.inner, let parent = inner.parent else { continue }
            place.inner = Inner(
                parent: ParentObject(.value(parent.value), outer), field: inner.field, key: inner.key,
                isElement: inner.isElement)
            outer = place
        }
        return outer
    }

    /// How many bytes it takes outside of itself, of a place that is ``detached``.
    var bytesOutside: Int { inner.map { 112 + ($0.path?.utf8.count ?? 0) } ?? 0 }
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
