// The lines that the check of a store reports. They are the same in every store, and none names the entity of links.

extension Entity {
    /// A value that an attribute must not have, in a row whose number counts from 1.
    package func fault(at position: Int, ofRow number: Int, isNull: Bool) -> String {
        let path = path(of: attributes[position].name)
        return isNull
            ? "\(path) of row \(number) is required, and has no value"
            : "\(path) of row \(number) does not hold \(attributes[position].type)"
    }

    /// A reference to a record that does not exist.
    ///
    /// - Parameter key: The key of the record that errors name; see ``positionOfKeyInErrors``. Nil if it is not known.
    package func danglingFault(at position: Int, ofKey key: StoredValue?, to target: Entity) -> String {
        let place = key?.textOfError.map { " of the record with key \($0)" } ?? ""
        return "\(path(of: attributes[position].name))\(place) refers to a record of \(target.name) that does not exist"
    }

    /// A row with the unique values of an earlier one.
    func duplicateFault(of unique: [String], row number: Int) -> String {
        linkedRelationship == nil
            ? "\(path): another row has the same unique \(unique.joined(separator: ", ")) as row \(number)"
            : "\(path): another row links the same records as row \(number)"
    }

    /// A counter of assigned keys that would assign a key again.
    package var counterFault: String { "\(path): the counter of keys is behind" }
}
