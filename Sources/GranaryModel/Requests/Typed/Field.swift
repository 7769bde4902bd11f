/// One attribute of a record type, by name and with its type: what `$0.name` is inside a query.
///
/// Comparing a field gives a ``Condition``. nil has two-valued logic as everywhere in Swift: `$0.rating == nil` is true of
/// nil, `$0.rating < 5` false, `$0.rating != 5` true, and `!condition` is exactly the rest.
///
/// A field that is a to-one relationship leads on to the fields of the record it names, to any depth: `$0.genre.name`,
/// `$0.album.artist.name`. Where there is no such record the value is nil.
///
/// What this library asks of a field has names of its own - `count`, `minimum`, `sum`, `year`, `length`, `untyped` and so
/// on - and at the end of a path they come before an attribute of the same name: `$0.album.count` counts albums. The
/// attribute, of whatever name, is `$0.album[\.count]`.
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

    /// A field of the record that an optional reference names; nil where there is none.
    public subscript<Target: Record, Member: AttributeValue>(
        dynamicMember path: KeyPath<Target.Fields, Field<Target, Member>>
    ) -> Field<Root, Member.Nilable> where Value == Ref<Target>? {
        Field<Root, Member.Nilable>("\(attributePath).\(Target.fields[keyPath: path].attributePath)")
    }

    /// A to-many relationship of the record that a reference names; empty where there is none.
    public subscript<Member: Record>(
        dynamicMember path: KeyPath<Value.Target.Fields, Related<Value.Target, Member>>
    ) -> Related<Root, Member> where Value: ReferenceValue {
        Related<Root, Member>("\(attributePath).\(Value.Target.fields[keyPath: path].path)")
    }
}

// The same by key path, which leads to an attribute of any name.
extension Field {
    /// A field of the record that a required reference names, whatever its name.
    ///
    /// ```swift
    /// Song.where { $0.album[\.count] > 10 }       // the album's attribute, where `$0.album.count` is an aggregate
    /// ```
    public subscript<Target: Record, Member: AttributeValue>(
        path: KeyPath<Target.Fields, Field<Target, Member>>
    ) -> Field<Root, Member> where Value == Ref<Target> { self[dynamicMember: path] }

    /// A field of the record that an optional reference names, whatever its name; nil where there is none.
    public subscript<Target: Record, Member: AttributeValue>(
        path: KeyPath<Target.Fields, Field<Target, Member>>
    ) -> Field<Root, Member.Nilable> where Value == Ref<Target>? { self[dynamicMember: path] }

    /// A to-many relationship of the record that a reference names, whatever its name; empty where there is none.
    public subscript<Member: Record>(
        path: KeyPath<Value.Target.Fields, Related<Value.Target, Member>>
    ) -> Related<Root, Member> where Value: ReferenceValue { self[dynamicMember: path] }
}
