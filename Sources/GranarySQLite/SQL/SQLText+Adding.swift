import CSQLite
import GranaryStoreKit

// A sum of integers beyond 64 bits is a real number in SQLite, and a sum of infinities is NULL. Some columns would
// store either silently. So a sum that does not fit becomes a text, which a column of a STRICT table refuses: the
// statement fails, and the error names the column.

extension SQLText {
    /// Writes an assignment to a column.
    mutating func write(_ assignment: Assignment, _ layout: EntityLayout) {
        guard assignment.operation == .add else { return bind(assignment.value) }
        let name = layout.sql.names[assignment.position]
        func sum(_ sql: inout SQLText) {
            sql.text += "\(name) + "
            sql.bind(assignment.value)
        }
        text += "CASE WHEN \(name) IS NULL THEN NULL WHEN "
        sum(&self)
        if let range = layout.entity.attributes[assignment.position].type.integerRange {
            text += " BETWEEN "
            bind(.integer(range.lowerBound))
            text += " AND "
            bind(.integer(range.upperBound))
            // A sum just below the least integer is the real number -2^63, which equals the least integer.
            if range.lowerBound == .min {
                text += " AND typeof("
                sum(&self)
                text += ") = 'integer'"
            }
        } else {
            text += " IS NOT NULL"
        }
        text += " THEN "
        sum(&self)
        text += " ELSE 'overflow' END"
    }
}

extension EntityLayout {
    /// Whether SQLite's own sums have the right meaning. It has no decimals and no 32-bit floats.
    func canAdd(_ assignment: Assignment) -> Bool {
        guard assignment.operation == .add else { return true }
        return switch entity.attributes[assignment.position].type {
        case .decimal, .float: false
        default: true
        }
    }

    /// The error for a sum that did not fit its column, if the failure is of this kind: "cannot store TEXT value in
    /// INTEGER column Song.plays".
    func overflow(in failure: GranaryError.EngineFailure) -> GranaryError? {
        guard failure.code == SQLITE_CONSTRAINT | (12 << 8), failure.message.contains("cannot store TEXT"),
            let column = failure.message.split(separator: " ").last?.split(separator: ".").last,
            let position = entity.attributes.firstIndex(where: { $0.name == column })
        else { return nil }
        if entity.attributes[position].type.storage == .integer { return entity.overflow(at: position) }
        return GranaryError(
            .range, "The result is not a number. Leave out infinities with a condition.", about: entity,
            [String(column)])
    }
}
