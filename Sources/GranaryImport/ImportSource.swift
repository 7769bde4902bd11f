import GranaryCore
package import GranaryFormats
import GranaryPlatform

/// A source of objects to import: an ``ImportValue``, an array of them, JSON, JSON lines and CSV, a file or a folder.
public protocol ImportSource: Sendable {
    /// Begins to read.
    ///
    /// - Parameter layout: The place of the records in the source.
    func makeReader(_ layout: ImportLayout) throws -> any ImportReader
}

/// The place of the records in a source.
public struct ImportLayout: Sendable {
    /// The path to the array of records, or to the only record; nil if the source itself is the array or the record.
    public var root: ImportPath?
    /// Whether the records are the values of a dictionary.
    public var isKeyed: Bool
    /// Counts the bytes that are read; nil if no count is needed.
    package var meter: ByteMeter?

    public init(root: ImportPath? = nil, isKeyed: Bool = false) {
        self.root = root
        self.isKeyed = isKeyed
    }
}

/// The objects of a source, one after the other.
public protocol ImportReader {
    /// The next object; nil at the end.
    mutating func next() throws -> ImportItem?
    /// Goes on after an object that could not be read. Throws the error if that is impossible, as it is by default.
    mutating func skip(after error: any Error) throws
    /// How many bytes of the source have been read. This limits the objects that are held at once. 0, the default, if
    /// the objects are in memory anyway.
    var bytesRead: Int { get }
    /// The name of the file in progress; nil, the default, if there is only one.
    var fileName: String? { get }
}

extension ImportReader {
    public mutating func skip(after error: any Error) throws { throw error }
    public var bytesRead: Int { 0 }
    public var fileName: String? { nil }
}

/// An object of a source.
public struct ImportItem: Sendable {
    var content: ImportContent
    public var place: ImportPlace

    /// The object. A reader of JSON or CSV makes it on each call.
    public var value: ImportValue {
        get { content.value }
        set { content = .value(newValue) }
    }

    /// The same item with its own copy of the value.
    var detached: ImportItem {
        var item = self
        item.value = value
        return item
    }

    /// - Parameters:
    ///   - value: The object, or another value in its place.
    ///   - index: Its place among the records, from 0.
    ///   - key: Its key in a dictionary of objects.
    ///   - line: The line where it begins, from 1.
    ///   - isElement: Whether it is one of several.
    ///   - root: The path to the records in the source.
    public init(
        _ value: ImportValue, index: Int, key: String? = nil, line: Int? = nil, isElement: Bool = true,
        root: ImportPath? = nil
    ) {
        content = .value(value)
        let input = root.map { ImportPlace.Input(root: $0) }
        place = ImportPlace(index: index, key: key, line: line, isElement: isElement, input: input)
    }

    init(
        _ packed: PackedValue, index: Int, key: String? = nil, line: Int? = nil, isElement: Bool = true,
        input: ImportPlace.Input?
    ) {
        content = .packed(packed)
        place = ImportPlace(index: index, key: key, line: line, isElement: isElement, input: input)
    }
}

extension ImportValue: ImportSource {
    /// For an array its elements, for any other value this value alone.
    public func makeReader(_ layout: ImportLayout) throws -> any ImportReader {
        let place = ImportPlace(index: 0)
        guard let value = layout.root.map({ $0.value(in: self, at: place) }) ?? self else {
            throw GranaryError(
                .typeMismatch,
                "The source has nothing at \(layout.root?.description ?? "$"). Correct the importer's root.")
        }
        if layout.isKeyed {
            guard case .object(let object) = value else {
                throw GranaryError(
                    .typeMismatch, "The source is \(value.kindName), not a dictionary of objects. Leave isKeyed out.")
            }
            return ValueReader(
                object.members.enumerated().map { ImportItem($1.value, index: $0, key: $1.key, root: layout.root) })
        }
        guard case .array(let elements) = value else {
            return ValueReader([ImportItem(value, index: 0, isElement: false, root: layout.root)])
        }
        return ValueReader(elements.enumerated().map { ImportItem($1, index: $0, root: layout.root) })
    }
}

extension Array: ImportSource where Element == ImportValue {
    public func makeReader(_ layout: ImportLayout) throws -> any ImportReader {
        try ImportValue.array(self).makeReader(layout)
    }
}

private struct ValueReader: ImportReader {
    private var items: ArraySlice<ImportItem>

    init(_ items: [ImportItem]) { self.items = items[...] }

    mutating func next() -> ImportItem? { items.popFirst() }
}
