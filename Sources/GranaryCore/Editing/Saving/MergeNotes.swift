import GranaryPlatform
import Logging

/// A link of a many-to-many relationship that a save did not write because one of its records was deleted elsewhere;
/// see ``SaveResult/droppedLinks``.
public struct DroppedLink: Sendable, Hashable {
    /// The record type that owns the relationship, by the name of its entity.
    public let entity: String
    /// The relationship's name.
    public let relationship: String
    /// The key of the record that owns the link, in its stored form.
    public let owner: StoredValue
    /// The key of the record on the other side, in its stored form.
    public let member: StoredValue

    public init(entity: String, relationship: String, owner: StoredValue, member: StoredValue) {
        self.entity = entity
        self.relationship = relationship
        self.owner = owner
        self.member = member
    }
}

/// A record that a delete rule deleted in a save, and that was unknown to the context when it made the deletion; see
/// ``SaveResult/cascadedDeletions``.
public struct CascadedDeletion: Sendable, Hashable {
    /// The name of the record's entity.
    public let entity: String
    /// The key in its stored form.
    public let key: StoredValue

    public init(entity: String, key: StoredValue) {
        self.entity = entity
        self.key = key
    }
}

/// What a merge did beyond the requested changes.
struct MergeNotes: Sendable {
    var droppedLinks: [DroppedLink] = []
    var cascadedDeletions: [CascadedDeletion] = []
    /// For new records that were given up because their unique values are taken: the keys of the records with these
    /// values.
    private(set) var successors: [RecordChange.Place: StoredValue] = [:]

    /// Notes the successors of new records that were given up.
    mutating func addSuccessors(_ conflicts: [MergeConflict]) {
        for conflict in conflicts where conflict.base == nil { successors[conflict.place] = conflict.holder?.key }
    }

    static func + (first: MergeNotes, second: MergeNotes) -> MergeNotes {
        var successors = second.successors
        for (place, key) in first.successors where successors[place] == nil {
            // The second merge may have given up the successor, too.
            successors[place] = second.successors[RecordChange.Place(entity: place.entity, key: key)] ?? key
        }
        return MergeNotes(
            droppedLinks: first.droppedLinks + second.droppedLinks,
            cascadedDeletions: first.cascadedDeletions + second.cascadedDeletions, successors: successors)
    }
}

extension MergeNotes {
    /// Logs the notes if the caller does not get the result of the save.
    func report(to logger: Logger, _ name: String?) {
        for link in droppedLinks {
            logger.notice(
                "a link was not saved: one of its records was deleted elsewhere",
                metadata: [
                    "context": "\(name ?? "unnamed")", "relationship": "\(link.entity).\(link.relationship)",
                    "owner": "\(link.owner.textOfError ?? "not shown")",
                    "member": "\(link.member.textOfError ?? "not shown")",
                ])
        }
        for record in cascadedDeletions {
            logger.notice(
                "a record that was added elsewhere was deleted by a cascade",
                metadata: [
                    "context": "\(name ?? "unnamed")", "entity": "\(record.entity)",
                    "key": "\(record.key.textOfError ?? "not shown")",
                ])
        }
    }
}
