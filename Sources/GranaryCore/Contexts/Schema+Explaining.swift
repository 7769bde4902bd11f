// Adds to an error about a row or a record: the entity, the attribute, and the key.

extension Schema {
    func explain(_ error: any Error, _ entity: Int) -> any Error { entities[entity].explain(error) }

    /// Also names the key of the record, which is at its position in the row.
    func explain(_ error: any Error, _ entity: Int, _ row: borrowing Row) -> any Error {
        entities[entity].explain(error, row)
    }
}

extension Entity {
    /// Makes a record of a row, and names the entity, the attribute and the key where that fails.
    func record<R: Record>(_ type: R.Type = R.self, from row: borrowing Row) throws -> R {
        do {
            return try R(row: row)
        } catch {
            throw explain(error, row)
        }
    }

    fileprivate func explain(_ error: any Error, _ row: borrowing Row) -> any Error {
        guard error is DecodingFailure, var explained = explain(error) as? GranaryError else { return error }
        explained.key = StoredValue(row[keyPosition])
        return explained
    }

    /// Names the entity and the attribute at which a record could not be read or written.
    func explain(_ error: any Error) -> any Error {
        let (position, type, cause): (Int, String, any Error)
        switch error {
        case let error as DecodingFailure: (position, type, cause) = (error.position, error.type, error.cause)
        case let error as EncodingFailure: (position, type, cause) = (error.position, error.type, error.cause)
        default: return error
        }
        let attribute = attributes.indices.contains(position) ? attributes[position].name : "\(position)"
        let error =
            cause as? GranaryError
            ?? GranaryError(.typeMismatch, "The value cannot be made a \(type): \(Swift.type(of: cause)).")
        return error.about(self, attribute)
    }
}
