import GranaryCore
import GranaryPlatform

// A row of the batch becomes a whole record: what the source does not give is filled in, and the record's type sees it.

extension EntityPlan {
    /// Fills in what the source did not give: what the record has, or the defaults.
    ///
    /// - Parameter keepsKey: Whether the key of the record counts, whatever the source has.
    func complete(_ row: Int, _ account: Account, keepsKey: Bool = true) throws {
        let keyPosition = entity.keyPosition
        if let existing = rows[row].existing {
            for position in 0..<stage.width
            where !stage.isGiven(row, position) || keepsKey && position == keyPosition
                || position == entity.versionPosition
            {
                stage.setLent(existing[position], row, position)
            }
            return
        }
        if stage.isWhole(row) { return }
        for position in 0..<stage.width where !stage.isGiven(row, position) {
            let attribute = entity.attributes[position]
            if position == keyPosition {
                if entity.keyGeneration == .assigned {
                    stage.set(.integer(0), row, position)
                } else if attribute.type == .uuid {
                    try StoredValue(encoding: UUID.timeOrdered()).withCell { stage.set($0, row, position) }
                } else {
                    if let unreadable = account.unreadableKey(self, rows[row].place, at: position) {
                        throw unreadable
                    }
                    throw GranaryError(
                        .required,
                        "A new \(entity.name) needs a key, and the source has none. Map it, or let the store assign keys.",
                        entity: entity.name, attributes: [attribute.name])
                }
            } else if let value = attribute.defaultValue {
                value.withCell { stage.set($0, row, position) }
            } else if position == entity.versionPosition {
                stage.set(.integer(0), row, position)
            } else if !attribute.isOptional {
                throw GranaryError.refused(.null, entity, position)
            }
        }
    }

    /// Makes the record of a row, and encodes it with its type's code. A value that the type refuses is reported, and left
    /// as it was.
    func makeRecord(
        of row: Int, by handler: any RecordHandler, _ account: Account, into writer: inout RowWriter
    ) throws {
        while true {
            do {
                writer.reset(count: stage.width)
                return try stage.withRow(row) {
                    try handler.finish($0, rows[row].value, rows[row].place, into: &writer)
                }
            } catch let failure as DecodingFailure where stage.isGiven(row, failure.position) {
                // The type refuses the value, as an enum that has no such case.
                if !wrap(failure.position, row) { try takeBack(failure, row, account) }
            }
        }
    }

    /// Makes a value that its type refuses an array of this one value, which a list may be. Returns false if it is an array
    /// already, or the attribute has no arrays.
    private func wrap(_ position: Int, _ row: Int) -> Bool {
        let cell = stage[row, position]
        guard entity.attributes[position].type == .json, cell.kind == .text,
            cell.rawBytes.first != UInt8(ascii: "[")
        else { return false }
        let list = [UInt8(ascii: "[")] + Array(cell.rawBytes) + [UInt8(ascii: "]")]
        list.withUnsafeBytes { stage.give(.text($0), row, position) }
        return true
    }

    private func takeBack(_ failure: DecodingFailure, _ row: Int, _ account: Account) throws {
        let attribute = entity.attributes[failure.position]
        let reason = GranaryError(
            .typeMismatch,
            "The value is not one that \(entity.name).\(attribute.name) has in Swift, \(failure.type). The attribute is left as it was: correct the source, or transform it.",
            entity: entity.name, attributes: [attribute.name]
        ).with(value: StoredValue(stage[row, failure.position]).textOfError(as: attribute.type))
        try account.keepValue(reason, attribute.name, at: rows[row].place)
        stage.takeBack(row, failure.position)
        if let existing = rows[row].existing {
            stage.setLent(existing[failure.position], row, failure.position)
        } else {
            (attribute.defaultValue ?? .null).withCell { stage.set($0, row, failure.position) }
        }
    }
}
