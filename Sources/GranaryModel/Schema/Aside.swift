/// A value that goes along with another and is not part of what it means: any two are equal.
struct Aside<Value: Sendable>: Sendable, Hashable {
    var value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Aside, right: Aside) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
