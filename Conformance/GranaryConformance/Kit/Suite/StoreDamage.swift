import GranaryCore

/// One kind of damage that `verify` must report.
///
/// The suite makes a store with the schema ``SuiteSchema/standard`` and these records, and closes it. Then it calls
/// ``ConformanceSubject/damage`` with the store's path, opens the store again, and expects a fault that names the entity.
///
/// | entity | key | values |
/// |---|---|---|
/// | `Note` | `a`, `b`, `c` | `body` and `topic` are `body a` and `topic a`, and so on |
/// | `Shelf` | 1, 2, 3 | |
/// | `Box` | 1, 2, 3 | `shelf` is the shelf with the same key |
/// | `Counter` | 1, 2, 3, assigned by the store | `label` is `a`, `b`, `c` |
public enum StoreDamage: String, Sendable, Hashable, CaseIterable {
    /// The index over `topic` of `Note` lacks the entry of the record `b`. The record stays.
    case missingEntry
    /// The record `b` of `Note` is gone. The index over `topic` keeps the entry of this record.
    case missingRow
    /// The record 2 of `Shelf` is gone. The record 2 of `Box` still refers to it.
    case danglingReference
    /// The label of the record 2 of `Counter` is `a`, as the label of record 1. Indexes agree with the records.
    case equalUniqueValues
    /// One byte in the row of the record `b` of `Note` has changed. The checksum of the row has not.
    case wrongChecksum
    /// The counter of assigned keys of `Counter` says 1. The records stay.
    case keyCounterBehind
}

extension Trial {
    /// Damages the store of this run, which must be closed.
    ///
    /// - Throws: ``NotTested`` if the subject cannot make this damage.
    package func damage(_ damage: StoreDamage) throws {
        guard let make = subject.damage else {
            throw NotTested(reason: "the subject has no closure that damages its store")
        }
        do {
            try make(damage, storePath)
        } catch let error as GranaryError where error.code == .unsupported {
            throw NotTested(reason: error.message)
        }
    }
}
