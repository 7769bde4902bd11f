import GranaryCore

/// Objects as they were read: node after node, without a tree, so that reading an object allocates nothing.
///
/// An array or object is a node, followed by the nodes of its contents. A member is the node of its key, followed by
/// those of its value. Texts lie one after the other in separate memory.
// @unchecked: the memory neither moves nor grows, and nodes that were given out as a `PackedValue` are never written
// again. Only one `ItemPacker` fills the tape, and it writes behind them.
final class ItemTape: @unchecked Sendable {
    enum Kind: UInt8 {
        case null, `false`, `true`, integer
        /// The text of a number that is not written as an integer. A `real` follows it.
        case number
        /// The double nearest to the preceding number.
        case real
        case string, key, array, object
    }

    /// A kind and its content.
    struct Node {
        private let head: UInt64
        /// The integer, or the bits of the double. For a text its offset in the bytes, for an array or object the
        /// number of the node after its last one. Both count from the beginning of the outermost value, so a key shared
        /// with an earlier value has a negative offset.
        let content: Int64

        init(_ kind: Kind, count: Int = 0, content: Int64 = 0) {
            head = UInt64(kind.rawValue) | UInt64(truncatingIfNeeded: count) << 8
            self.content = content
        }

        // Every node is made from a kind.
        var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: head)) ?? .null }
        var offset: Int { Int(truncatingIfNeeded: content) }
        /// Whether it is a key whose text belongs to an earlier value.
        var isShared: Bool { kind == .key && content < 0 }
        /// The number of bytes of a text.
        var count: Int { Int(truncatingIfNeeded: head >> 8) }
    }

    let nodes: UnsafeMutablePointer<Node>
    let nodeCapacity: Int
    let bytes: UnsafeMutableRawPointer
    let byteCapacity: Int

    init(nodes nodeCapacity: Int, bytes byteCapacity: Int) {
        nodes = .allocate(capacity: nodeCapacity)
        self.nodeCapacity = nodeCapacity
        bytes = .allocate(byteCount: byteCapacity, alignment: 8)
        self.byteCapacity = byteCapacity
    }

    deinit {
        // Nodes are plain values: they need no deinitialization.
        nodes.deallocate()
        bytes.deallocate()
    }
}

/// A value on a tape: an object of a source with all that is in it, or a value within one.
struct PackedValue: Sendable {
    /// Keeps the lent memory valid.
    let tape: ItemTape
    /// Where the outermost value begins, from which nodes and texts are counted.
    let firstNode: Int
    let firstByte: Int
    /// The node that it begins with.
    private(set) var root = 0

    init(tape: ItemTape, firstNode: Int, firstByte: Int) {
        (self.tape, self.firstNode, self.firstByte) = (tape, firstNode, firstByte)
    }

    /// The value within it that begins with a node.
    func part(at number: Int) -> PackedValue {
        var part = self
        part.root = number
        return part
    }

    var kind: ItemTape.Kind { node(root).kind }

    /// A node, counted from the first of the outermost value.
    @inline(__always) func node(_ number: Int) -> ItemTape.Node { tape.nodes[firstNode + number] }

    /// The text of a node of a key, string or number.
    @inline(__always) func text(_ node: ItemTape.Node) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: tape.bytes + firstByte + node.offset, count: node.count)
    }

    /// The number of the node after a value, which begins at node `number`.
    @inline(__always) func end(_ number: Int) -> Int {
        let node = node(number)
        if node.kind.rawValue >= ItemTape.Kind.array.rawValue { return node.offset }
        return node.kind == .number ? number + 2 : number + 1
    }

    /// The double nearest to the number at this node; not finite if it does not exist or is unknown.
    @inline(__always) func real(_ number: Int) -> Double {
        Double(bitPattern: UInt64(bitPattern: node(number + 1).content))
    }

    /// The value of a node; nil for a key, an array or an object.
    @inline(__always) func scalar(_ node: ItemTape.Node) -> Scalar? {
        switch node.kind {
        case .null: .null
        case .false: .bool(false)
        case .true: .bool(true)
        case .integer: .integer(node.content)
        case .number: .number(text(node))
        case .real: .real(Double(bitPattern: UInt64(bitPattern: node.content)))
        case .string: .text(text(node))
        case .key, .array, .object: nil
        }
    }

    /// The elements of an array, one after the other.
    struct Elements: Sequence, IteratorProtocol {
        fileprivate let array: PackedValue
        fileprivate var number: Int

        mutating func next() -> ImportContent? {
            guard number < array.end(array.root) else { return nil }
            defer { number = array.end(number) }
            return .packed(array.part(at: number))
        }
    }

    var elements: Elements { Elements(array: self, number: root + 1) }

    /// A copy of the value, as a tree.
    var value: ImportValue { value(at: root) }

    private func value(at number: Int) -> ImportValue {
        let node = node(number)
        switch node.kind {
        case .object:
            var members: [ImportObject.Member] = []
            var next = number + 1
            while next < node.offset {
                let key = String(decoding: text(self.node(next)), as: UTF8.self)
                members.append(.init(key, value(at: next + 1)))
                next = end(next + 1)
            }
            return .object(ImportObject(members))
        case .array:
            var elements: [ImportValue] = []
            var next = number + 1
            while next < node.offset {
                elements.append(value(at: next))
                next = end(next)
            }
            return .array(elements)
        default: return scalar(node)?.value ?? .null
        }
    }
}

/// The content of an item: a tree, or a place on a tape.
enum ImportContent: Sendable {
    case value(ImportValue)
    case packed(PackedValue)

    /// The value as a tree. For a place on a tape, each call makes the tree.
    var value: ImportValue {
        switch self {
        case .value(let value): value
        case .packed(let packed): packed.value
        }
    }

    var isNull: Bool {
        switch self {
        case .value(let value): value == .null
        case .packed(let packed): packed.kind == .null
        }
    }

    var isObject: Bool {
        switch self {
        case .value(.object): true
        case .value: false
        case .packed(let packed): packed.kind == .object
        }
    }

    /// Whether it is neither an array nor an object.
    var isScalar: Bool {
        switch self {
        case .value(let value): value.isScalar
        case .packed(let packed): packed.kind != .array && packed.kind != .object
        }
    }

    /// The elements of an array; nil of anything else.
    var elements: [ImportContent]? {
        switch self {
        case .value(.array(let elements)): elements.map { .value($0) }
        case .value: nil
        case .packed(let packed) where packed.kind == .array:
            Array(packed.elements)
        case .packed: nil
        }
    }

    /// Lends the value; nil if it is an array or an object.
    func withScalar<T>(_ body: (Scalar?) throws -> T) rethrows -> T {
        switch self {
        case .value(let value): try value.withScalar(body)
        case .packed(let packed): try body(packed.scalar(packed.node(packed.root)))
        }
    }
}
