import ArgumentParser
import GranaryCore
import GranaryStoreKit

/// The changes of a schema given on the command line: removals and renamings.
struct SchemaEdits: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An entity, attribute or relationship that may be removed with all that is in it. Repeatable.",
            valueName: "entity[.attribute]"))
    var drop: [PathArgument] = []

    @Option(
        help: ArgumentHelp(
            "Another name of an entity, or of an attribute or relationship: Song.plays=Song.count. Repeatable.",
            valueName: "old=new"))
    var rename: [RenameArgument] = []

    @Option(
        help: ArgumentHelp(
            "An attribute or relationship, by its new name, that may be converted to a type that does not hold every value. The first record that would lose something ends the migration. Repeatable.",
            valueName: "entity.attribute"))
    var convert: [PathArgument] = []

    private var isEmpty: Bool { drop.isEmpty && rename.isEmpty }

    /// Whether any of the options was given.
    var areGiven: Bool { !isEmpty || !convert.isEmpty }

    /// The new schema, and the policy of the migration to it. The new schema is `given`, or the app's schema; the
    /// options then say how to get there. Without both it is the stored schema with the changes of the options.
    ///
    /// - Parameters:
    ///   - given: The schema on the command line.
    ///   - what: What to name if a schema is missing, for the message.
    ///   - stored: The stored schema.
    func target(
        _ given: SchemaArgument?, named what: String, from stored: () async throws -> Schema
    ) async throws -> (schema: Schema, policy: MigrationPolicy) {
        let renamings = rename.map(\.renaming)
        if given == nil, ToolApplication.current.schema == nil, !isEmpty {
            let schema = try await stored().editing(renamings, removing: drop.map(\.path))
            return (schema, allowing(.inferred))
        }
        let schema = try await SchemaArgument.schema(given, named: what).renaming(renamings)
        for path in convert.map(\.path) where !schema.has(path) {
            throw ValidationError("The other schema has no \(path): there is nothing to convert. Check the name.")
        }
        if !isEmpty {
            let stored = try await stored()
            try stored.requireNames(of: renamings)
            let difference = SchemaDifference(from: stored, to: schema)
            for path in drop.map(\.path) {
                if schema.has(path), !difference.leadsElsewhere(path) {
                    throw ValidationError("The other schema has \(path), which is to be dropped. Remove it there.")
                }
                if !stored.has(path) {
                    throw ValidationError("The store has no \(path): there is nothing to drop. Check the name.")
                }
            }
        }
        return (schema, allowing(ToolApplication.policy(for: given)))
    }

    private func allowing(_ policy: MigrationPolicy) -> MigrationPolicy {
        policy.dropping(drop.map(\.path.description)).converting(convert.map(\.path.description))
    }
}

/// `Song` or `Song.rating`.
struct PathArgument: ExpressibleByArgument, Sendable {
    let path: SchemaPath

    init?(argument: String) {
        guard let path = SchemaPath(argument) else { return nil }
        self.path = path
    }
}

/// `Song=Track` or `Song.rating=Song.stars`.
struct RenameArgument: ExpressibleByArgument, Sendable {
    let renaming: SchemaRenaming

    init?(argument: String) {
        let sides = argument.split(separator: "=", omittingEmptySubsequences: false).map { SchemaPath($0) }
        guard sides.count == 2, let old = sides[0], let new = sides[1],
            (old.attribute == nil) == (new.attribute == nil)
        else { return nil }
        renaming = SchemaRenaming(from: old, to: new)
    }
}

extension SchemaDifference {
    /// Whether a many-to-many relationship gets another target: its links are dropped, the relationship stays.
    fileprivate func leadsElsewhere(_ path: SchemaPath) -> Bool {
        changes.contains { change in
            guard case .relationshipTargetChanged(let entity, let name, _, _) = change else { return false }
            return path.description == "\(entity).\(name)"
        }
    }
}

extension Schema {
    /// Checks that this schema, the stored one, has the old name or already the new name of each renaming.
    ///
    /// - Throws: `unknownEntity`, `unknownAttribute`.
    fileprivate func requireNames(of renamings: [SchemaRenaming]) throws {
        for renaming in renamings {
            let (old, new) = (renaming.old, renaming.new)
            var owners = [old.entity, new.entity]
            // The entity of an attribute may be given by its new name.
            owners += renamings.filter { $0.old.attribute == nil && $0.new == SchemaPath(old.entity) }.map(\.old.entity)
            let isKnown = owners.contains { owner in
                [old.attribute, new.attribute].contains { name in
                    SchemaPath(name.map { "\(owner).\($0)" } ?? owner).map(has) ?? false
                }
            }
            guard !isKnown else { continue }
            let entity = entities[try position(ofEntity: old.entity)]
            if let name = old.attribute { _ = try entity.position(ofAttribute: name) }
        }
    }

    /// Whether an entity, attribute or relationship with this name exists.
    fileprivate func has(_ path: SchemaPath) -> Bool {
        guard let entity = entities.first(where: { $0.name == path.entity }) else { return false }
        guard let name = path.attribute else { return true }
        return entity.attributes.contains { $0.name == name } || entity.relationships.contains { $0.name == name }
    }
}
