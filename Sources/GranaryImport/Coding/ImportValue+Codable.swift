import GranaryCore

extension ImportValue {
    /// The value as a `Decodable` type: of an object in a hook, or of each object of a source that does not become a record.
    ///
    /// ```swift
    /// var reader = try ImportInput.json(.file("releases.json")).makeReader(ImportLayout())
    /// while let item = try reader.next() {
    ///     let release = try item.value.decoded(as: Release.self, at: item.place)
    /// }
    /// ```
    ///
    /// Values are converted as those of attributes are: exactly, and from texts as well, so that rows of CSV can be decoded. Keys
    /// are taken as they are written.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - place: Where the value is in its source, for errors.
    /// - Throws: `typeMismatch` for what the type cannot be decoded from, with the ``GranaryError/importPath`` of
    ///   the value that is missing or wrong, and the line of the place; other errors that the type throws, as they are.
    public func decoded<T: Decodable>(as type: T.Type, at place: ImportPlace? = nil) throws -> T {
        do {
            return try ValueDecoder(self).decode(type)
        } catch let error as DecodingError {
            throw error.importError(place)
        }
    }

    /// The value of an `Encodable` type: what an import takes a plain Swift value as.
    ///
    /// ```swift
    /// try context.import(ImportValue(encoding: releases), as: Album.self)
    /// ```
    ///
    /// Dates, data, identifiers and decimals are as exports write them, so that ``decoded(as:at:)`` and imports have all of
    /// them. Optional properties that are nil are absent.
    ///
    /// - Throws: What the type throws; `range` for a number that is not one.
    public init(encoding value: some Encodable) throws {
        let node = EncodedNode()
        try ValueEncoder(node).encode(value)
        self = node.value
    }
}

extension DecodingError {
    /// The error with the path of the value that it is about.
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
            // Keys of objects may be numbers as well.
            let index = (step as? ValueKey)?.intValue
            path += index.map { "[\($0)]" } ?? ".\(step.stringValue)"
        }
        let error = GranaryError(.typeMismatch, "The value cannot be decoded. \(context.debugDescription)").at(path)
        return place.map { error.at($0) } ?? error
    }
}
