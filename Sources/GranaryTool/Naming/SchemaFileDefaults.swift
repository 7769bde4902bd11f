import Foundation

/// Fills in parts of a schema's file that a person may leave out, because the rest of the file determines them: the
/// type of a reference (the type of the key it names) and its delete rule (Swift's default).
struct SchemaFileDefaults {
    private var entities: [[String: Any]]
    private var isChanged = false

    /// The JSON with the missing parts added. Returns the same data if nothing is missing, or if it is no schema: then
    /// the errors are about the file as it is.
    static func filled(_ json: Data) -> Data {
        guard var members = try? JSONSerialization.jsonObject(with: json) as? [String: Any],
            let entities = members["entities"] as? [[String: Any]]
        else { return json }
        var defaults = SchemaFileDefaults(entities: entities)
        // The key of an entity may be a reference itself.
        for _ in entities { defaults.fill() }
        guard defaults.isChanged else { return json }
        members["entities"] = defaults.entities
        return (try? JSONSerialization.data(withJSONObject: members)) ?? json
    }

    private init(entities: [[String: Any]]) { self.entities = entities }

    private mutating func fill() {
        for number in entities.indices {
            guard var attributes = entities[number]["attributes"] as? [[String: Any]] else { continue }
            for place in attributes.indices {
                guard var reference = attributes[place]["reference"] as? [String: Any] else { continue }
                if attributes[place]["type"] == nil, let target = reference["entity"] as? String {
                    attributes[place]["type"] = keyType(of: target)
                    isChanged = isChanged || attributes[place]["type"] != nil
                }
                guard reference["onDelete"] == nil else { continue }
                reference["onDelete"] = attributes[place]["isOptional"] as? Bool ?? false ? "nullify" : "deny"
                attributes[place]["reference"] = reference
                isChanged = true
            }
            entities[number]["attributes"] = attributes
        }
    }

    private func keyType(of name: String) -> String? {
        guard let entity = entities.first(where: { $0["name"] as? String == name }),
            let key = entity["key"] as? String, let attributes = entity["attributes"] as? [[String: Any]]
        else { return nil }
        return attributes.first { $0["name"] as? String == key }?["type"] as? String
    }

    /// The wrong `id` numbers in a file, as the end of a sentence; nil if none is wrong, or the file is no schema.
    static func faultOfNumbers(_ json: Data) -> String? {
        guard let members = try? JSONSerialization.jsonObject(with: json) as? [String: Any],
            let entities = members["entities"] as? [[String: Any]]
        else { return nil }
        if let fault = fault(of: entities, in: "") { return fault }
        for entity in entities {
            guard let name = entity["name"] as? String, let attributes = entity["attributes"] as? [[String: Any]],
                let fault = fault(of: attributes, in: "\(name).")
            else { continue }
            return fault
        }
        return nil
    }

    private static func fault(of members: [[String: Any]], in prefix: String) -> String? {
        var names: [Int: String] = [:]
        for member in members {
            guard let id = member["id"] as? Int, let name = member["name"] as? String else { continue }
            if let other = names.updateValue(name, forKey: id) {
                return "\(prefix)\(other) and \(prefix)\(name) have the same id \(id)"
            }
            if id < 1 { return "the id of \(prefix)\(name) is \(id), and numbers begin with 1" }
        }
        return nil
    }
}
