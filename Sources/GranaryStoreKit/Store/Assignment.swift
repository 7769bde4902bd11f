/// A change of one attribute, by position.
public struct Assignment: Sendable, Hashable {
    public enum Operation: Sendable, Hashable {
        /// The attribute gets the value.
        case set
        /// The value is added to the attribute's value. Nil stays nil.
        case add
    }

    public var position: Int
    public var value: StoredValue
    public var operation: Operation

    public init(position: Int, value: StoredValue, operation: Operation = .set) {
        self.position = position
        self.value = value
        self.operation = operation
    }
}

extension Entity {
    /// Merges assignments to the same attribute into one with the same effect.
    ///
    /// - Throws: `typeMismatch` for an addition to an attribute that is not a number, `overflow`.
    package func combined(_ assignments: [Assignment]) throws -> [Assignment] {
        var combined: [Assignment] = []
        for var assignment in assignments {
            if assignment.operation == .add { try checkAddition(assignment) }
            if let index = combined.firstIndex(where: { $0.position == assignment.position }) {
                let earlier = combined.remove(at: index)
                if assignment.operation == .add { assignment = try joined(earlier, assignment) }
            }
            combined.append(assignment)
        }
        // An addition of 0 changes nothing.
        return combined.filter { $0.operation == .set || !$0.isZero }
    }

    private func joined(_ earlier: Assignment, _ addition: Assignment) throws -> Assignment {
        var joined = earlier
        joined.value = try earlier.value.withCell { cell in
            // A sum of amounts need not be a valid value of the attribute: -200 for an Int8.
            try sum(of: cell, adding: addition.value, at: earlier.position, isAmount: earlier.operation == .add)
        }
        return joined
    }

    private func checkAddition(_ addition: Assignment) throws {
        guard attributes.indices.contains(addition.position) else { return }
        let attribute = attributes[addition.position]
        guard attribute.reference == nil, attribute.type.isNumber, addition.value.kind == attribute.type.storage else {
            throw GranaryError(
                .typeMismatch,
                "Only a number can be added to a number: \(path(of: attribute.name)) holds \(attribute.type), the amount is of kind \(addition.value.kind).",
                about: self, [attribute.name])
        }
    }

    /// The value of an attribute after an addition. Nil stays nil.
    ///
    /// - Parameter isAmount: Whether the sum is itself an amount to be added later, and so may be out of the
    ///   attribute's range.
    /// - Throws: `overflow` if the sum does not fit the attribute, `range` for a decimal of more than 38 digits and for
    ///   a value that is not a number.
    package func sum(
        of cell: Cell, adding amount: StoredValue, at position: Int, isAmount: Bool = false
    ) throws -> StoredValue {
        if cell.isNull || amount == .null { return .null }
        let attribute = attributes[position]
        do {
            switch (attribute.type, amount) {
            case (.decimal, _): return try apply(.add, StoredValue(cell), amount, as: .decimal)
            case (.float, .real(let amount)):
                return .real(Double(Float(try apply(.add, Double(Float(cell.realValue)), amount))))
            case (_, .real(let amount)): return .real(try apply(.add, cell.realValue, amount))
            case (_, .integer(let amount)):
                let (sum, isTooLarge) = cell.integerValue.addingReportingOverflow(amount)
                let isInRange = isAmount || attribute.type.integerRange?.contains(sum) ?? true
                guard !isTooLarge && isInRange else { throw overflow(at: position) }
                return .integer(sum)
            default: throw ArithmeticFailure.mismatch(amount.kind, expected: nil)
            }
        } catch let error as GranaryError {
            throw error.about(self, attribute.name)
        }
    }

    /// The error for a sum that does not fit its attribute.
    package func overflow(at position: Int) -> GranaryError {
        let attribute = attributes[position]
        return GranaryError(
            .overflow,
            "The sum does not fit \(path(of: attribute.name)), which holds \(attribute.type). Add less, or give the attribute a larger type.",
            about: self, [attribute.name])
    }

    /// The difference of two values of an attribute: the amount to add to `old` to get `new`. Nil if it is not a number
    /// that can be added.
    package func amount(from old: Cell, to new: Cell, at position: Int) -> StoredValue? {
        if old.isNull || new.isNull { return nil }
        switch attributes[position].type.storage {
        case .integer:
            let (amount, isTooLarge) = new.integerValue.subtractingReportingOverflow(old.integerValue)
            return isTooLarge ? nil : .integer(amount)
        case .real: return (try? apply(.subtract, new.realValue, old.realValue)).map { .real($0) }
        case .bytes: return try? apply(.subtract, StoredValue(new), StoredValue(old), as: .decimal)
        case .null, .text: return nil
        }
    }

    /// A row after assignments.
    ///
    /// - Throws: What ``sum(of:adding:at:isAmount:)`` throws.
    package func applying(_ assignments: [Assignment], to row: StoredRow) throws -> StoredRow {
        try row.setting(
            assignments.map { assignment in
                guard assignment.operation == .add else { return assignment }
                let (position, cell) = (assignment.position, row[assignment.position])
                return Assignment(
                    position: position, value: try sum(of: cell, adding: assignment.value, at: position))
            })
    }
}

extension Assignment {
    fileprivate var isZero: Bool {
        switch value {
        case .integer(let amount): amount == 0
        case .real(let amount): amount == 0
        case .bytes(let bytes): bytes == DecimalNumber(0).bytes
        case .null, .text: false
        }
    }
}

extension AttributeType {
    /// Whether an amount can be added to it.
    var isNumber: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal,
            .scaledDecimal:
            true
        case .bool, .string, .data, .date, .uuid, .url, .json: false
        }
    }
}

extension Entity {
    /// Refuses assignments that no record of the entity allows. A sum is checked when it is known.
    ///
    /// - Throws: `unknownAttribute` for a position beyond the attributes, `invalidQuery` for the key, `required`,
    ///   `typeMismatch`, `range`.
    package func check(_ assignments: [Assignment]) throws {
        for assignment in assignments {
            let position = assignment.position
            guard attributes.indices.contains(position) else { throw GranaryError.noAttribute(self, at: position) }
            guard position != keyPosition else { throw GranaryError.keyNotSettable(self) }
            if assignment.operation == .add { continue }
            try assignment.value.withCell { cell in
                guard ValueRule(attributes[position]).holds(cell) else {
                    throw GranaryError.refused(cell, self, position)
                }
            }
        }
    }
}
