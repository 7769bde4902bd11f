/// One attribute of a record type, by name and with its type: the type of `$0.name` in a query.
///
/// Comparing a field gives a ``Condition``. Nil has two-valued logic as everywhere in Swift: for nil,
/// `$0.rating == nil` is true, `$0.rating < 5` is false, `$0.rating != 5` is true, and `!condition` is true exactly
/// where `condition` is not.
///
/// A field that is a to-one relationship gives access to the fields of its record, to any depth: `$0.genre.name`,
/// `$0.album.artist.name`. If the record does not exist, the value is nil.
///
/// The members that this library adds to a field, such as `count`, `minimum`, `sum`, `year`, `length` and `untyped`,
/// hide an attribute of the same name at the end of a path: `$0.album.count` counts albums. The attribute, whatever its
/// name, is `$0.album[\.count]`.
@dynamicMemberLookup
public struct Field<Root: Record, Value: AttributeValue>: QueryExpression {
    /// The attribute's name, or a path to one: `genre.name`.
    public let attributePath: String

    public init(_ attributePath: String) { self.attributePath = attributePath }

    public var untyped: AnyExpression { .attribute(attributePath) }
}

extension Field {
    /// A field of the record that a required reference names.
    public subscript<Target: Record, Member: AttributeValue>(
        dynamicMember path: KeyPath<Target.Fields, Field<Target, Member>>
    ) -> Field<Root, Member> where Value == Ref<Target> {
        Field<Root, Member>("\(attributePath).\(Target.fields[keyPath: path].attributePath)")
    }

    /// A field of the record that an optional reference names; nil if there is no record.
    public subscript<Target: Record, Member: AttributeValue>(
        dynamicMember path: KeyPath<Target.Fields, Field<Target, Member>>
    ) -> Field<Root, Member.Nilable> where Value == Ref<Target>? {
        Field<Root, Member.Nilable>("\(attributePath).\(Target.fields[keyPath: path].attributePath)")
    }

    /// A to-many relationship of the record that a reference names; empty if there is no record.
    public subscript<Member: Record>(
        dynamicMember path: KeyPath<Value.Target.Fields, Related<Value.Target, Member>>
    ) -> Related<Root, Member> where Value: ReferenceValue {
        Related<Root, Member>("\(attributePath).\(Value.Target.fields[keyPath: path].path)")
    }
}

// The same by key path, which reaches an attribute of any name.
extension Field {
    /// A field of the record that a required reference names, whatever its name.
    ///
    /// ```swift
    /// Song.where { $0.album[\.count] > 10 }       // the album's attribute, where `$0.album.count` is an aggregate
    /// ```
    public subscript<Target: Record, Member: AttributeValue>(
        path: KeyPath<Target.Fields, Field<Target, Member>>
    ) -> Field<Root, Member> where Value == Ref<Target> { self[dynamicMember: path] }

    /// A field of the record that an optional reference names, whatever its name; nil if there is no record.
    public subscript<Target: Record, Member: AttributeValue>(
        path: KeyPath<Target.Fields, Field<Target, Member>>
    ) -> Field<Root, Member.Nilable> where Value == Ref<Target>? { self[dynamicMember: path] }

    /// A to-many relationship of the record that a reference names, whatever its name; empty if there is no record.
    public subscript<Member: Record>(
        path: KeyPath<Value.Target.Fields, Related<Value.Target, Member>>
    ) -> Related<Root, Member> where Value: ReferenceValue { self[dynamicMember: path] }
}
