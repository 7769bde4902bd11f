import Foundation
import GranaryCore

/// Finds mistakes in a schema's file that the reader of stored schemas ignores, or explains only for stores: unknown
/// keys, which may be misspelt, and types that do not exist.
enum SchemaFileCheck {
    /// The known keys of an object, by the key that holds the object. Objects in a list count as if the list's key held
    /// them.
    private static let keys: [String: Set<String>] = [
        "": ["appliedSteps", "entities", "format", "lastID", "seed"],
        "entities": [
            "attributes", "id", "indexes", "key", "keyGeneration", "lastID", "name", "relationships", "renamedFrom",
            "version", "words",
        ],
        "words": ["stopWords", "tokenizer"],
        "attributes": [
            "addition", "defaultValue", "external", "externalFrom", "id", "isOptional", "name", "reference",
            "renamedFrom", "renamedValues", "searchGroup", "searchWeight", "type",
        ],
        "indexes": ["attributes", "folding", "isUnique"],
        "relationships": ["attribute", "entity", "name", "orderedBy", "renamedFrom", "through"],
        "reference": ["entity", "onDelete", "outside"],
        "addition": ["count", "value"],
        "renamedValues": ["new", "old"],
        "defaultValue": value, "value": value, "old": value, "new": value,
        "appliedSteps": ["checksum", "name", "text"],
        "seed": ["content", "kind", "schema"],
    ]
    private static let value: Set = ["bytes", "integer", "number", "real", "text"]

    /// Returns the first fault with its place. Returns nil if the file has no fault, or is of a newer format.
    static func fault(in json: Data) -> String? {
        guard let object = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) else { return nil }
        guard let members = object as? [String: Any] else { return "it is not an object with `entities`" }
        return (members["format"] as? Int ?? 1) > 1 ? nil : fault(in: object, under: "", at: "")
    }

    private static func fault(in json: Any, under key: String, at place: String) -> String? {
        switch json {
        case let members as [String: Any]:
            guard let known = keys[key] else { return nil }
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                let place = place.isEmpty ? name : "\(place).\(name)"
                guard known.contains(name) else {
                    let names = known.sorted().joined(separator: ", ")
                    return "\(place) is not a key of a schema. The keys there are \(names)"
                }
                if let fault = fault(in: value, under: name, at: place) { return fault }
            }
        case let list as [Any]:
            for (number, element) in list.enumerated() {
                if let fault = fault(in: element, under: key, at: "\(place)[\(number)]") { return fault }
            }
        case let name as String where key == "type" && AttributeType(name) == nil:
            return "\(place) is \"\(name)\", which is no type; types are, for example, \(types)"
        default: break
        }
        return nil
    }

    private static let types = "int64, string, bool, double, date, uuid, data"
}
