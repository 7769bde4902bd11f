/// A stored property that equality and hashing ignore: any two are equal.
struct Uncompared<Value: Sendable>: Sendable, Hashable {
    var value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Uncompared, right: Uncompared) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
