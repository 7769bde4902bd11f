package import GranaryCore

package func made(_ entity: String, in schema: Schema, _ values: [String: StoredValue]) throws -> DynamicRecord {
    var record = try DynamicRecord(entity, in: schema)
    for (name, value) in values { try record.set(name, toStored: value) }
    return record
}
