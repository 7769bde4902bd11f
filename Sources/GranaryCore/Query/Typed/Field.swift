/// One attribute of a record type, by name and with its type: what `$0.name` is inside a query.
///
/// Comparing a field gives a ``Condition``. nil has two-valued logic as everywhere in Swift: `$0.rating == nil` is true of
/// nil, `$0.rating < 5` false, `$0.rating != 5` true, and `!condition` is exactly the rest.
///
/// A field that is a to-one relationship leads on to the fields of the record it names, to any depth: `$0.genre.name`,
/// `$0.album.artist.name`. Where there is no such record the value is nil.
@dynamicMemberLookup
public struct Field<Root: Record, Value: AttributeValue>: QueryExpression {
    /// The attribute's name, or a path to one: `genre.name`. Named so that it hides no attribute at the end of a path.
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
