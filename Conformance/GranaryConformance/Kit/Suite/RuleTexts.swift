import GranaryCore
import GranaryPlatform

// An error about a broken rule between records (uniqueness, references, deletion) has one text, whatever store found it:
// that of `GranaryError+Rules`. The suite makes the text again from the error's code, entity and attributes, so a store
// that is run alone is held to it, too.

/// The entities of every schema that the suite has opened, by the names that errors give them.
enum RuleTexts {
    /// The codes of such errors.
    static let codes: Set<GranaryError.Code> = [.uniqueness, .danglingReference, .deniedDeletion]

    private static let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private static var entities: [String: Set<Entity>] = [:]
    nonisolated(unsafe) private static var links: Set<String> = []

    static func learn(_ schema: Schema) {
        lock.withLock {
            for entity in schema.entities {
                entities[entity.named([]).entity, default: []].insert(entity)
                if entity.linkedRelationship != nil { links.insert(entity.name) }
            }
        }
    }

    /// The texts that an error may have; nil where any will do.
    static func texts(of error: GranaryError) -> [String]? {
        guard let name = error.entity, let known = lock.withLock({ entities[name] }) else { return nil }
        let texts = Set(known.flatMap { $0.ruleTexts(error.code, error.attributes) })
        return texts.isEmpty ? nil : texts.sorted()
    }

    /// An entity of links that an error names. Nobody has declared it.
    static func link(in error: GranaryError) -> String? {
        lock.withLock { links }.first { error.entity == $0 || error.message.contains($0) }
    }
}
