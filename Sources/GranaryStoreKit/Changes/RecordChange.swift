/// The change of one record by a commit.
public struct RecordChange: Sendable, Hashable {
    /// Identifies a record.
    public struct Place: Sendable, Hashable, Comparable {
        /// The position of the entity in the schema.
        public var entity: Int
        public var key: StoredValue

        public init(entity: Int, key: StoredValue) {
            self.entity = entity
            self.key = key
        }

        public static func < (left: Place, right: Place) -> Bool {
            left.entity != right.entity ? left.entity < right.entity : left.key < right.key
        }
    }

    public enum Kind: Sendable, Hashable {
        case inserted
        /// With the attributes that were set to another value; an attribute that was changed and changed back may be
        /// included.
        case updated(AttributeSet)
        case deleted
    }

    public var place: Place
    public var kind: Kind

    public var entity: Int { place.entity }
    public var key: StoredValue { place.key }

    public init(place: Place, kind: Kind) {
        self.place = place
        self.kind = kind
    }
}

extension RecordChange.Kind {
    /// The net effect of two successive changes of one record; nil if there is none.
    package static func joined(_ first: Self?, _ second: Self) -> Self? {
        switch (first, second) {
        case (nil, _): second
        case (.inserted, .deleted): nil
        case (.inserted, _): .inserted
        case (.deleted, .inserted): .updated(AttributeSet(0..<500))
        case (.deleted, _): second
        case (.updated, .deleted), (.updated, .inserted): second
        case (.updated(let one), .updated(let other)):
            .updated(
                {
                    var union = one
                    union.formUnion(other)
                    return union
                }())
        }
    }
}
