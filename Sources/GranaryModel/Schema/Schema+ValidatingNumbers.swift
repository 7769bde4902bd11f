extension Schema {
    private static let numbers = 1...(1 << 31)

    /// Checks the numbers in a schema from elsewhere, because stores calculate with them.
    ///
    /// - Throws: `corrupt`.
    func validateNumbers() throws {
        func areRight(_ all: [Int], last: Int) -> Bool {
            all.allSatisfy(Schema.numbers.contains) && Set(all).count == all.count && Schema.numbers.contains(last)
        }
        let isRight =
            (entities.isEmpty || areRight(entities.map(\.id), last: lastEntityID))
            && entities.allSatisfy { entity in
                (entity.attributes.isEmpty || areRight(entity.attributes.map(\.id), last: entity.lastAttributeID))
                    && entity.attributes.allSatisfy { attribute in
                        attribute.addition.map { (1...entity.attributes.count).contains($0.count) } ?? true
                    }
            }
        guard isRight else {
            throw GranaryError(
                .corrupt, "The numbers of entities or attributes in the schema cannot be. Restore it from a backup.")
        }
    }
}
