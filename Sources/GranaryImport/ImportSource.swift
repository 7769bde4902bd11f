import GranaryCore
import GranaryPlatform

/// Where objects to import come from: an ``ImportValue``, an array of them, an array or a dictionary of `Any`.
public protocol ImportSource: Sendable {
    /// Begins to read.
    ///
    /// - Parameter layout: Where in the source the records are.
    func makeReader(_ layout: ImportLayout) throws -> any ImportReader
}

/// Where in a source its records are.
public struct ImportLayout: Sendable {
    /// The way to the array of records, or to the only one; nil if it is the source itself.
    public var root: ImportPath?
    /// Whether the records are the values of a dictionary.
    public var isKeyed: Bool

    public init(root: ImportPath? = nil, isKeyed: Bool = false) {
        self.root = root
        self.isKeyed = isKeyed
    }
}

/// The objects of a source, one after the other.
public protocol ImportReader {
    /// The next object; nil at the end.
    mutating func next() throws -> ImportItem?
}

/// An object of a source.
public struct ImportItem: Sendable {
    public var value: ImportValue
    public var place: ImportPlace

    /// - Parameters:
    ///   - index: Its place among the records, from 0.
    ///   - key: The key that it is under, in a dictionary of objects.
    ///   - line: The line where it begins, from 1.
    ///   - isElement: Whether it is one of several.
    public init(_ value: ImportValue, index: Int, key: String? = nil, line: Int? = nil, isElement: Bool = true) {
        self.value = value
        place = ImportPlace(index: index, key: key, line: line, isElement: isElement)
    }
}

extension ImportValue: ImportSource {
    /// An array is its elements, anything else one object.
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
                object.members.enumerated().map { ImportItem($1.value, index: $0, key: $1.key) })
        }
        guard case .array(let elements) = value else {
            return ValueReader([ImportItem(value, index: 0, isElement: false)])
        }
        return ValueReader(elements.enumerated().map { ImportItem($1, index: $0) })
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
