/// What the compiler says about a property whose type cannot be stored.
extension Attribute {
    @available(*, unavailable, message: "Write `Ref<Other>`: a record has a reference to another one.")
    @_disfavoredOverload
    public init<Value: Record>(
        _ name: String, _ type: Value.Type, default defaultValue: Value? = nil, onDelete: DeleteRule? = nil
    ) { self.init(name, .string) }

    @available(*, unavailable, message: "Write `Ref<Other>?`: a record has a reference to another one.")
    @_disfavoredOverload
    public init<Value: Record>(
        _ name: String, _ type: Value?.Type, default defaultValue: Value?? = nil, onDelete: DeleteRule? = nil
    ) { self.init(name, .string) }

    @available(
        *, unavailable,
        message: "Write `static let songs = ToMany(\\Song.Fields.artist)`: the other records refer to this one."
    )
    @_disfavoredOverload
    public init<Value: Record>(
        _ name: String, _ type: [Value].Type, default defaultValue: [Value]? = nil, onDelete: DeleteRule? = nil
    ) { self.init(name, .string) }

    @available(
        *, unavailable,
        message: """
            This type cannot be stored. An enum or a type with a raw value: add AttributeValue to it. A Codable type: \
            write `@Attribute(.json)`. What is not stored: `@Transient`.
            """
    )
    @_disfavoredOverload
    public init<Value>(
        _ name: String, _ type: Value.Type, default defaultValue: Value? = nil, onDelete: DeleteRule? = nil
    ) { self.init(name, .string) }
}
