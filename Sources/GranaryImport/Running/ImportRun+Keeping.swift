import GranaryCore

// Values that cannot be taken. Each leaves its attribute as it was and is reported. If the attribute was to tell which record the
// object is, and nothing else does, the object fails: then the error says that its key could not be read, not that it has none.

/// A value that an attribute or a relationship was to have, and cannot.
struct RefusedValue {
    /// Why, as the end of a sentence: "is not a date".
    let reason: String
    let value: ImportValue
    /// The attribute or the relationship.
    let name: String
    /// The key of the object in the source.
    let key: String

    /// - Parameter key: The same as `name` if it is left out.
    init(_ reason: String, _ value: ImportValue, _ name: String, key: String? = nil) {
        (self.reason, self.value, self.name) = (reason, value, name)
        self.key = key ?? name
    }
}

/// A reported value that was to tell which record an object is.
struct UnreadableKey {
    let entity: Int
    let position: Int
    /// The path of the object.
    let object: String
    let reason: String?
    let error: GranaryError
    /// The number of its issue in the report.
    let issue: Int
}

extension ImportRun {
    /// Reports a value that leaves its attribute as it was. In a strict import it throws.
    func keepValue(_ refused: RefusedValue, of entity: Entity, at place: ImportPlace) throws {
        let error = GranaryError(
            .typeMismatch,
            "The value \(refused.reason). The attribute is left as it was: correct the source, or transform it.",
            entity: entity.name, attributes: refused.name.isEmpty ? [] : [refused.name]
        ).with(value: refused.value.textOfError)
        try keepValue(error, refused.key, at: place, reason: refused.reason)
    }

    func keepValue(_ error: GranaryError, _ key: String, at place: ImportPlace, reason: String? = nil) throws {
        if importer.isStrict { throw error.at(place, key) }
        account.keepValue(error, key, at: place, reason: reason)
    }

    /// The error for an object whose key could not be read; nil of one that has no key, or a null.
    ///
    /// - Parameter position: The attribute that could not be read; nil for any that tells which record an object is.
    func unreadableKey(_ plan: EntityPlan, _ place: ImportPlace, at position: Int? = nil) -> GranaryError? {
        guard let key = account.takeUnreadableKey(plan, place, at: position) else { return nil }
        guard let reason = key.reason else { return key.error }
        var error = key.error
        error.message =
            "The value \(reason), so it is not known which \(plan.entity.name) it is. Correct the source, or transform it."
        return error
    }

    /// The error for an object that does not tell which record it is.
    func missingKey(_ plan: EntityPlan, _ place: ImportPlace) -> GranaryError {
        if let unreadable = unreadableKey(plan, place) { return unreadable }
        let identities = plan.identifiesByFirst ? plan.identities.prefix(1) : plan.identities[...]
        let names = identities.map { $0.map { plan.entity.attributes[$0].name }.joined(separator: " and ") }
        return GranaryError(
            .required,
            "The object has no value for \(names.joined(separator: ", nor for ")), so it is not known which \(plan.entity.name) it is. Map the key, or set the importer's missingKey.",
            entity: plan.entity.name, attributes: [plan.entity.key])
    }

    /// The error for a reference of which the record does not exist.
    ///
    /// - Parameter name: What the source has for the record.
    func dangling(_ plan: EntityPlan, _ position: Int, _ name: NamedRecord?, _ target: Int) -> GranaryError {
        .dangling(plan.entity, position).with(value: name.map { text(of: $0, target) })
    }

    /// What the source has for a record, as an error has it.
    func text(of name: NamedRecord, _ target: Int) -> String {
        let attributes = schema.entities[target].attributes
        return zip(name.positions, name.values).map { $1.textOfError(as: attributes[$0].type) }.joined(separator: ", ")
    }
}

extension ImportValue {
    /// The value as an error about it has it, before it is shortened.
    var textOfError: String {
        switch self {
        case .string(let text), .decimal(let text): text
        case .data(let data): "\(data.count) bytes"
        case .double(let number): "\(number)"
        case .date(let date): "\(date)"
        default: (try? canonicalJSON()).map { String(decoding: $0, as: UTF8.self) } ?? kindName
        }
    }
}
