import GranaryCore
import GranaryPlatform

// Records written as a dictionary, each under its key, which an import reads as `@key`.

extension ExportPlan {
    /// The attribute that an import reads from the keys of a dictionary; nil if the mapping has none.
    static func attributeOfDictionaryKey(_ entity: Entity, _ mapping: ImportMapping) -> Int? {
        entity.attributes.firstIndex { mapping.paths[$0.name]?.contains("@key") ?? false }
    }

    /// The attribute whose values are the keys of a dictionary: the one that is mapped from `@key`, or the key.
    ///
    /// - Throws: `unsupported` if several records may have the same value.
    static func requireDictionaryKey(_ entity: Entity, _ mapping: ImportMapping) throws -> Int {
        guard let position = attributeOfDictionaryKey(entity, mapping) else { return entity.keyPosition }
        let attribute = entity.attributes[position]
        let isUnique = entity.indexes.contains { $0.isUnique && $0.attributes == [attribute.name] }
        guard position == entity.keyPosition || (isUnique && attribute.reference == nil) else {
            throw GranaryError(
                .unsupported,
                "\(entity.name): \(attribute.name) is read from the keys of a dictionary, where each may stand once. Map the key of \(entity.name) from @key, or a unique attribute that is not a reference.",
                entity: entity.name, attributes: [attribute.name])
        }
        return position
    }

    /// The attribute whose values are the keys of the exported dictionary; nil if an array is exported.
    ///
    /// - Throws: `unsupported` if the mapping does not allow the options of the exporter.
    func keyOfRecords(_ exporter: Exporter, _ format: ExportOutput.Format) throws -> Int? {
        guard exporter.isKeyed else {
            if let needsDictionary { throw needsDictionary }
            return nil
        }
        guard case .json(.document, _) = format else {
            throw GranaryError(
                .unsupported,
                "JSON lines and CSV have no dictionary of records. Export JSON, or leave the exporter's isKeyed out.")
        }
        return try ExportPlan.requireDictionaryKey(entity, mapping)
    }
}

extension ValueWriter {
    /// The value as the key of a dictionary.
    func dictionaryKey(of cell: Cell) throws -> String {
        var value = try value(of: cell).imported
        if let transform { value = try transform(value) }
        switch value {
        case .string(let text), .decimal(let text): return text
        case .integer(let value): return String(value)
        case .double(let value): return value.description
        case .bool(let value): return value ? "true" : "false"
        case .data(let data): return data.base64EncodedString()
        case .date(let date): return DateText.written(date.timeIntervalSinceReferenceDate)
        case .null:
            throw GranaryError(
                .required,
                "A record is written under its \(attribute.name), which is nil. Give it one, or map the key from @key.")
        case .array, .object:
            throw GranaryError(
                .typeMismatch,
                "The key of a dictionary is a text, and the transformer of \(attribute.name) made \(value.kindName). Return a text."
            )
        }
    }
}
