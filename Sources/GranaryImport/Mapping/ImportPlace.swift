import GranaryPlatform

/// The place of an object or a value in its source. Hooks and transformers get it with the value.
///
/// Every row has a place, so it is small: facts shared by most objects of a source, and facts that most objects do not
/// have, are stored elsewhere.
public struct ImportPlace: Sendable {
    /// Facts that all objects of a source share.
    final class Input: Sendable {
        /// The path to the records in the source.
        let root: ImportPath?
        /// Whether every value is a text, as in CSV, so that values of other types are written as texts.
        let isTable: Bool
        /// Whether the source is a table without quotes, where an empty field may also mean an empty text.
        let isUnquoted: Bool
        /// The name of the file.
        let file: String?
        /// Whether it is one of several files, so that paths begin with its name.
        let isOneOfSeveral: Bool
        /// The position of the entity that the objects are records of, if the source has several roots.
        let entity: Int?

        init(
            root: ImportPath? = nil, isTable: Bool = false, isUnquoted: Bool = false, file: String? = nil,
            isOneOfSeveral: Bool = false, entity: Int? = nil
        ) {
            self.root = root
            self.isTable = isTable
            self.isUnquoted = isUnquoted
            self.file = file
            self.isOneOfSeveral = isOneOfSeveral
            self.entity = entity
        }
    }

    /// Further facts about a place that is not an element of the source's array of records.
    private final class Inner: Sendable {
        let parent: ParentObject?
        /// The parent's key for this value.
        let field: String?
        let key: String?
        let isElement: Bool
        /// The whole path, for a place without a parent object.
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

    /// The index in the array of the object, from 0; 0 if it is not in an array.
    public let index: Int
    /// 0 if the source has no lines.
    private let lineNumber: Int
    private var inner: Inner?
    /// Nil if the source is the array of records itself, in JSON that is not from a file.
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
    /// The position of the entity that the object's root is for.
    var entity: Int? { input?.entity }
    /// Whether paths begin with the name of the file.
    var namesFile: Bool { input?.isOneOfSeveral ?? false }
    /// Whether it is in an array or a dictionary of objects.
    var isInArray: Bool { inner?.isElement ?? true }

    /// The object around this one; nil for a record of the source itself.
    public var parentObject: ImportValue? { parent?.value }

    /// The outermost object around this one; nil for a record of the source itself.
    public var rootObject: ImportValue? {
        var outermost = parent
        while let outer = outermost?.place.parent { outermost = outer }
        return outermost?.value
    }

    /// The name of its file; nil if the source is not a file or a folder.
    public var fileName: String? {
        var place = self
        while let outer = place.parent?.place { place = outer }
        return place.file
    }

    /// The path from the root of the source: `$[3].songs[0].title`. For a folder it begins with the name of the file:
    /// `artists.json: $[3].songs[0].title`.
    public var path: String {
        // From the inside out, in a loop: objects may be nested hundreds of levels deep.
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

    /// The last part of the path, for this place alone.
    private var lastPart: String {
        var text = root.map { ".\($0)" } ?? ""
        if let field = inner?.field { text += ".\(field)" }
        if let key { text += ".\(key)" } else if isInArray { text += "[\(index)]" }
        return text
    }

    func path(_ key: String) -> String { key.isEmpty ? path : "\(path).\(key)" }

    /// The same path and line without the objects around the place. Such objects, and everything read together with
    /// them, stay in memory as long as a place refers to them.
    var detached: ImportPlace {
        guard parent != nil else { return self }
        var place = self
        place.inner = Inner(key: nil, isElement: false, path: path)
        return place
    }

    /// The same place with copies of the objects around it, which keep nothing else in memory.
    var withOwnObjects: ImportPlace {
        var places = [self]
        while let outer = places.last?.parent?.place { places.append(outer) }
        // From the outside in, because each place needs the one around it.
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

    /// For a ``detached`` place: how many bytes it takes outside of itself.
    var bytesOutside: Int { inner.map { 112 + ($0.path?.utf8.count ?? 0) } ?? 0 }
}

/// An object and its place, for the values nested in it.
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

    /// The object. It is made on the first call.
    var value: ImportValue {
        if case .value(let value) = content { return value }
        return lock.withLock {
            let value = made ?? content.value
            made = value
            return value
        }
    }
}
