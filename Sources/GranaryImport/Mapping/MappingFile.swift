import GranaryCore
import GranaryPlatform

/// The mappings of entities as JSON, which the tool's `--map` reads.
///
/// ```json
/// {
///   "@root": "data.artists",
///   "Artist": {
///     "map": {"name": ["artist_name", "profile.name"]},
///     "ignore": ["debug"],
///     "identify": ["code"],
///     "dates": {"born": ["dd.MM.yyyy", "rfc3339"]},
///     "relate": {"genre": {"by": ["label"], "missing": "makeStub"}, "songs": "add"}
///   }
/// }
/// ```
package struct MappingFile: Sendable {
    package private(set) var mappings: [String: ImportMapping] = [:]
    package private(set) var root: ImportPath?
    package private(set) var isKeyed = false
    package private(set) var missingKey = MissingKeyPolicy.error

    /// - Throws: `invalidInput` for a text that is not JSON of this form, with the place of the mistake.
    package init(parsing text: String) throws {
        for (key, value) in try MappingFile.members(try ImportValue(json: text), "$") {
            let place = "$.\(key)"
            switch key {
            case "@root": root = try MappingFile.path(try MappingFile.text(value, place), place)
            case "@keyed": isKeyed = try MappingFile.choice(value, place, ["true": true, "false": false])
            case "@missingKey":
                missingKey = try MappingFile.choice(
                    value, place, ["error": .error, "skip": .skip, "create": .create])
            default: mappings[key] = try MappingFile.mapping(value, place)
            }
        }
    }

    private static func mapping(_ value: ImportValue, _ place: String) throws -> ImportMapping {
        var mapping = ImportMapping()
        for (key, value) in try members(value, place) {
            let place = "\(place).\(key)"
            switch key {
            case "map":
                for (name, paths) in try members(value, place) { mapping.paths[name] = try self.paths(paths, place) }
            case "ignore": mapping.ignored = try paths(value, place)
            case "order": mapping.order = try texts(value, place)
            case "identify": mapping.identity = try texts(value, place)
            case "skipUnlessNewer": mapping.modification = try text(value, place)
            case "inferKeys": mapping.infersKeys = try choice(value, place, ["true": true, "false": false])
            case "dates":
                guard case .object = value else {
                    mapping.dateFormats = try texts(value, place).map { try dateFormat($0, place) }
                    continue
                }
                for (name, formats) in try members(value, place) {
                    let place = "\(place).\(name)"
                    mapping.dateFormatsByName[name] = try texts(formats, place).map { try dateFormat($0, place) }
                }
            case "data":
                for (name, format) in try members(value, place) {
                    mapping.dataFormats[name] = try choice(format, place, ["base64": .base64, "hex": .hex])
                }
            case "absent":
                for (name, absence) in try members(value, place) {
                    mapping.absence[name] = try self.absence(absence, place)
                }
            case "null":
                for (name, absence) in try members(value, place) {
                    mapping.nulls[name] = try self.absence(absence, place)
                }
            case "relate":
                for (name, rule) in try members(value, place) {
                    mapping.relationships[name] = try self.rule(rule, "\(place).\(name)")
                }
            case "connect":
                for (name, values) in try members(value, place) {
                    mapping.connections[name] = try connection(values, "\(place).\(name)")
                }
            default:
                throw wrong(
                    place,
                    "is not one of map, ignore, order, identify, skipUnlessNewer, inferKeys, dates, data, absent, null, relate, connect"
                )
            }
        }
        return mapping
    }

    /// A policy alone, or an object with the options of a relationship.
    private static func rule(_ value: ImportValue, _ place: String) throws -> RelationshipRule {
        let policies: [String: ImportRelating] = [
            "replace": .replace, "add": .add, "replaceAndDelete": .replaceAndDelete,
        ]
        var rule = RelationshipRule()
        guard case .object = value else {
            rule.policy = try choice(value, place, policies)
            return rule
        }
        for (key, value) in try members(value, place) {
            switch key {
            case "policy": rule.policy = try choice(value, place, policies)
            case "by": rule.identity = try texts(value, place)
            case "missing": rule.missing = try missing(value, place)
            case "keyed": rule.isKeyed = try choice(value, place, ["true": true, "false": false])
            case "updatesRelated": rule.updatesRelated = try choice(value, place, ["true": true, "false": false])
            default: throw wrong("\(place).\(key)", "is not one of policy, by, missing, keyed, updatesRelated")
            }
        }
        return rule
    }

    /// The paths and attributes alone, or an object that has them under `by`.
    private static func connection(_ value: ImportValue, _ place: String) throws -> ImportConnection {
        func pairs(_ value: ImportValue, _ place: String) throws -> [(path: ImportPath, attribute: String)] {
            try members(value, place).map { (path: try path($0, place), attribute: try text($1, place)) }
        }
        guard case .object(let object) = value, case .object? = object["by"] else {
            return ImportConnection(pairs: try pairs(value, place), missing: .wait)
        }
        var connection = ImportConnection(pairs: [], missing: .wait)
        for (key, value) in try members(value, place) {
            switch key {
            case "by": connection.pairs = try pairs(value, "\(place).by")
            case "missing": connection.missing = try missing(value, place)
            default: throw wrong("\(place).\(key)", "is not one of by, missing")
            }
        }
        return connection
    }

    private static func absence(_ value: ImportValue, _ place: String) throws -> ImportAbsence {
        try choice(value, place, ["keep": .keep, "default": .useDefault, "clear": .clear])
    }

    private static func missing(_ value: ImportValue, _ place: String) throws -> ImportMissing {
        try choice(value, place, ["wait": .wait, "keep": .keep, "makeStub": .makeStub, "ignore": .ignore])
    }

    /// The name of a format, or a pattern of dates.
    private static func dateFormat(_ text: String, _ place: String) throws -> ImportDateFormat {
        switch text {
        case "rfc3339": return .rfc3339
        case "secondsSince1970": return .secondsSince1970
        case "millisecondsSince1970": return .millisecondsSince1970
        case "dotNet": return .dotNet
        default:
            if let fault = DatePattern(text).fault {
                throw wrong(
                    place,
                    "has the pattern \"\(text.shortened)\", which \(fault). Patterns are such as yyyy-MM-dd HH:mm; names are rfc3339, secondsSince1970, millisecondsSince1970, dotNet"
                )
            }
            return .pattern(text)
        }
    }

    private static func members(_ value: ImportValue, _ place: String) throws -> [(String, ImportValue)] {
        guard case .object(let object) = value else { throw wrong(place, "is not an object") }
        return object.members.map { ($0.key, $0.value) }
    }

    private static func paths(_ value: ImportValue, _ place: String) throws -> [ImportPath] {
        try texts(value, place).map { try path($0, place) }
    }

    private static func path(_ text: String, _ place: String) throws -> ImportPath {
        // The empty path is a column without a name. A quoted part may have dots, and may be empty.
        guard !text.isEmpty, !text.contains("\"") else { return ImportPath(text) }
        let special = ["@self", "@key", "@index", "@parent", "@root"]
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            if part.isEmpty { throw wrong(place, "has the path \"\(text.shortened)\", which has an empty part") }
            if part.hasPrefix("@"), !special.contains(String(part)) {
                throw wrong(
                    place,
                    "has the path \"\(text.shortened)\", and \(part) is not one of \(special.joined(separator: ", "))")
            }
        }
        return ImportPath(text)
    }

    /// One text, or an array of texts.
    private static func texts(_ value: ImportValue, _ place: String) throws -> [String] {
        guard case .array(let elements) = value else { return [try text(value, place)] }
        return try elements.map { try text($0, place) }
    }

    private static func text(_ value: ImportValue, _ place: String) throws -> String {
        guard case .string(let text) = value else { throw wrong(place, "is not a string") }
        return text
    }

    private static func choice<T>(_ value: ImportValue, _ place: String, _ choices: [String: T]) throws -> T {
        let text = if case .bool(let value) = value { "\(value)" } else { try text(value, place) }
        guard let choice = choices[text] else {
            throw wrong(place, "is not one of \(choices.keys.sorted().joined(separator: ", "))")
        }
        return choice
    }

    private static func wrong(_ place: String, _ what: String) -> GranaryError {
        GranaryError(.invalidInput, "The file of mappings is not valid: \(place) \(what).")
    }
}
