import GranaryCore

/// The path to a value in a source: `name`, `artist.name`, `names[0]`, `@key`.
///
/// | path | value |
/// |---|---|
/// | `artist.name` | the member `name` of the object `artist`; for an array, of each of its elements |
/// | `names[0]` | an element of an array |
/// | `@self` | the whole object, or another value in its place |
/// | `@key` | the key of the object in a dictionary of objects |
/// | `@index` | its index in its array or dictionary, from 0; absent if it is in neither |
/// | `@parent.id`, `@root.id` | a member of the object around this one, or of the outermost object |
///
/// A key that contains a dot or a bracket is written in double quotes, or given as ``init(keys:)``: `"Sepal.Length"`.
/// The empty key is written in quotes too, also as the whole path. If the path leads to no value, but the object has a
/// key with the text of the path, such as `artist.name`, that key is meant.
public struct ImportPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    enum Step: Sendable, Hashable {
        case key(String)
        case element(Int)
        case whole, dictionaryKey, index, parent, root
    }

    let steps: [Step]

    public init(_ text: String) {
        guard !text.isEmpty else {
            steps = [.key("")]
            return
        }
        steps = ImportPath.parts(text).flatMap { part -> [Step] in
            if part.count >= 2, part.first == "\"", part.last == "\"" {
                return [.key(String(part.dropFirst().dropLast()))]
            }
            switch part {
            case "@self": return [.whole]
            case "@key": return [.dictionaryKey]
            case "@index": return [.index]
            case "@parent": return [.parent]
            case "@root": return [.root]
            default: break
            }
            guard let bracket = part.firstIndex(of: "["), part.last == "]" else { return [.key(String(part))] }
            let numbers = part[bracket...].split { $0 == "[" || $0 == "]" }.map { UInt32($0).map(Int.init) }
            let name = part[..<bracket]
            let elements = numbers.compactMap { $0.map(Step.element) }
            guard elements.count == numbers.count else { return [.key(String(part))] }
            return (name.isEmpty ? [] : [.key(String(name))]) + elements
        }
    }

    /// The parts of a path between its dots. Dots in quotes do not divide it.
    private static func parts(_ text: String) -> [Substring] {
        var isQuoted = false
        let parts = text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "." && !isQuoted
        }
        // A quote that is not closed is an ordinary character.
        return isQuoted ? text.split(separator: ".") : parts
    }

    public init(stringLiteral value: String) { self.init(value) }

    /// The path of another path within the value at this path.
    func appending(_ path: ImportPath) -> ImportPath { ImportPath(steps: steps + path.steps) }

    private init(steps: [Step]) { self.steps = steps }

    /// A path of keys without special characters: each key is used literally.
    public init(keys: [String]) { steps = keys.map(Step.key) }

    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .element(let index): text += "[\(index)]"
            case .key(let key):
                let isQuoted = key.isEmpty || key.contains { $0 == "." || $0 == "[" }
                text += (text.isEmpty ? "" : ".") + (isQuoted ? "\"\(key)\"" : key)
            case .whole: text += "@self"
            case .dictionaryKey: text += "@key"
            case .index: text += "@index"
            case .parent: text += (text.isEmpty ? "" : ".") + "@parent"
            case .root: text += "@root"
            }
        }
        return text
    }

    /// The key, if the path is one key of the object itself.
    var singleKey: String? {
        if steps.count == 1, case .key(let key) = steps[0] { key } else { nil }
    }

    /// The first key, if the path begins with one.
    var firstKey: String? {
        if case .key(let key)? = steps.first { key } else { nil }
    }

    /// The path's own text as a single key: a table may have `artist.name` as the name of a column.
    var flatKey: String? {
        guard steps.count > 1 else { return nil }
        let keys = steps.compactMap { step in if case .key(let key) = step { key } else { nil } }
        return keys.count == steps.count ? keys.joined(separator: ".") : nil
    }

    /// Whether the path means the whole object.
    var isWhole: Bool { !steps.isEmpty && steps.allSatisfy { $0 == .whole } }

    /// The value at the path, or nil.
    func value(in object: ImportValue, at place: ImportPlace) -> ImportValue? {
        ImportPath.value(steps[...], object, place)
    }

    /// The value, with null for each array element on the path without a value. So values of several paths through one
    /// array belong to the same elements if they have the same index.
    func column(in object: ImportValue, at place: ImportPlace) -> ImportValue? {
        ImportPath.value(steps[...], object, place, keepsPlaces: true)
    }

    private static func value(
        _ steps: ArraySlice<Step>, _ value: ImportValue, _ place: ImportPlace, keepsPlaces: Bool = false
    ) -> ImportValue? {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch step {
        case .whole: return ImportPath.value(rest, value, place, keepsPlaces: keepsPlaces)
        case .key(let key):
            if case .array(let elements) = value {
                // From each element; nested arrays are flattened.
                return .array(
                    elements.flatMap { element -> [ImportValue] in
                        switch ImportPath.value(steps, element, place, keepsPlaces: keepsPlaces) {
                        case nil: keepsPlaces ? [.null] : []
                        case .array(let inner)?: inner
                        case let inner?: [inner]
                        }
                    })
            }
            return value[key].flatMap { ImportPath.value(rest, $0, place, keepsPlaces: keepsPlaces) }
        case .element(let index):
            return value[index].flatMap { ImportPath.value(rest, $0, place, keepsPlaces: keepsPlaces) }
        case .dictionaryKey: return place.key.map(ImportValue.string)
        case .index: return place.isInArray ? .integer(Int64(place.index)) : nil
        case .parent:
            return place.parent.flatMap { ImportPath.value(rest, $0.value, $0.place, keepsPlaces: keepsPlaces) }
        case .root:
            var root = place.parent
            while let outer = root?.place.parent { root = outer }
            return ImportPath.value(rest, root?.value ?? value, place, keepsPlaces: keepsPlaces)
        }
    }

    /// The kind of the value at which the path ends before its last key, if that is neither an object, an array nor
    /// null: `a text`. Otherwise nil.
    func end(in object: ImportValue) -> String? {
        var value = object
        for step in steps {
            switch (step, value) {
            case (.whole, _): continue
            case (.key(let key), .object):
                guard let inner = value[key] else { return nil }
                value = inner
            case (.element(let index), .array):
                guard let inner = value[index] else { return nil }
                value = inner
            case (.key, .null), (.element, .null), (.key, .array), (.element, .object): return nil
            case (.key, _), (.element, _): return value.kindName
            default: return nil
            }
        }
        return nil
    }

    /// The value without the part at this path.
    func removed(from value: ImportValue) -> ImportValue { ImportPath.removed(steps[...], value) }

    private static func removed(_ steps: ArraySlice<Step>, _ value: ImportValue) -> ImportValue {
        let rest = steps.dropFirst()
        switch (steps.first, value) {
        case (.key(let key)?, .object(var object)):
            if rest.isEmpty {
                object[key] = nil
            } else {
                for index in object.members.indices where object.members[index].key.hasSameBytes(as: key) {
                    object.members[index].value = removed(rest, object.members[index].value)
                }
            }
            return .object(object)
        case (.key?, .array(let elements)): return .array(elements.map { removed(steps, $0) })
        case (.element(let index)?, .array(var elements)) where elements.indices.contains(index):
            if rest.isEmpty {
                elements.remove(at: index)
            } else {
                elements[index] = removed(rest, elements[index])
            }
            return .array(elements)
        default: return value
        }
    }
}
