import GranaryCore

extension ImportValue {
    /// Decodes the value as a `Decodable` type: an object in a hook, or each object of a source that does not become a
    /// record.
    ///
    /// ```swift
    /// var reader = try ImportInput.json(.file("releases.json")).makeReader(ImportLayout())
    /// while let item = try reader.next() {
    ///     let release = try item.value.decoded(as: Release.self, at: item.place)
    /// }
    /// ```
    ///
    /// Values are converted in the same way as those of attributes: exactly, and also from texts, so that rows of CSV
    /// can be decoded. Keys must be spelled as in the source.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - place: The place of the value in its source, for errors.
    /// - Throws: `typeMismatch` for a value that the type cannot be decoded from, with the ``GranaryError/importPath``
    ///   of the missing or wrong value, and the line of the place. Other errors of the type are thrown unchanged.
    public func decoded<T: Decodable>(as type: T.Type, at place: ImportPlace? = nil) throws -> T {
        do {
            return try ValueDecoder(self).decode(type)
        } catch let error as DecodingError {
            throw error.importError(place)
        }
    }

    /// Encodes an `Encodable` value, so that plain Swift values can be imported.
    ///
    /// ```swift
    /// try context.import(ImportValue(encoding: releases), as: Album.self)
    /// ```
    ///
    /// Dates, data, identifiers and decimals get the form that exports write, so that ``decoded(as:at:)`` and imports
    /// read them back exactly. Optional properties that are nil are absent.
    ///
    /// - Throws: The errors of the value's own encoding; `range` for NaN.
    public init(encoding value: some Encodable) throws {
        let node = EncodedNode()
        try ValueEncoder(node).encode(value)
        self = node.value
    }
}

extension DecodingError {
    /// The error with the path of the missing or wrong value.
    fileprivate func importError(_ place: ImportPlace?) -> GranaryError {
        let (context, key): (Context, (any CodingKey)?) =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context, nil)
            case .keyNotFound(let key, let context): (context, key)
            @unknown default: (Context(codingPath: [], debugDescription: "\(self)"), nil)
            }
        var path = place?.path ?? "$"
        for step in context.codingPath + (key.map { [$0] } ?? []) {
            // The key of an object may also be a number.
            let index = (step as? ValueKey)?.intValue
            path += index.map { "[\($0)]" } ?? ".\(step.stringValue)"
        }
        let error = GranaryError(.typeMismatch, "The value cannot be decoded. \(context.debugDescription)").at(path)
        return place.map { error.at($0) } ?? error
    }
}
