/// What a commit did to one record.
public struct RecordChange: Sendable, Hashable {
    /// Which record.
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
        /// With the attributes that were given another value; one that was changed and changed back may be among them.
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
    /// What two changes of one record after each other come to; nil for nothing.
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
