import GranaryFormats

/// Writes what readers read onto tapes.
struct ItemPacker {
    private static let nodeCapacity = 4_096
    private static let byteCapacity = 1 << 16

    private var tape = ItemTape(nodes: ItemPacker.nodeCapacity, bytes: ItemPacker.byteCapacity)
    private var nodeCount = 0
    private var byteCount = 0
    /// Where the value begins that is being written.
    private var firstNode = 0
    private var firstByte = 0
    /// The arrays and objects that are open.
    private var open: [Int] = []

    /// Begins a value. What was written since the last one ended is forgotten.
    mutating func begin() {
        nodeCount = firstNode
        byteCount = firstByte
        open.removeAll(keepingCapacity: true)
    }

    /// Ends a value, which does not change any more.
    mutating func end() -> PackedValue {
        defer { (firstNode, firstByte) = (nodeCount, byteCount) }
        return PackedValue(tape: tape, firstNode: firstNode, firstByte: firstByte)
    }

    mutating func append(_ kind: ItemTape.Kind, content: Int64 = 0) {
        if nodeCount == tape.nodeCapacity { move(bytes: 0) }
        (tape.nodes + nodeCount).initialize(to: ItemTape.Node(kind, content: content))
        nodeCount += 1
    }

    mutating func append(_ kind: ItemTape.Kind, text: UnsafeRawBufferPointer) {
        if nodeCount == tape.nodeCapacity || tape.byteCapacity - byteCount < text.count { move(bytes: text.count) }
        (tape.nodes + nodeCount).initialize(
            to: ItemTape.Node(kind, count: text.count, content: Int64(byteCount - firstByte)))
        if let start = text.baseAddress { ItemPacker.copy(start, text.count, to: tape.bytes + byteCount) }
        nodeCount += 1
        byteCount += text.count
    }

    /// Most texts are so short that a call takes longer than the copy.
    @inline(__always)
    private static func copy(_ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer) {
        guard count >= 4, count <= 16 else { return target.copyMemory(from: source, byteCount: count) }
        // The two parts overlap where there are fewer bytes.
        if count >= 8 {
            let end = source.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            target.storeBytes(of: end, toByteOffset: count - 8, as: UInt64.self)
        } else {
            let end = source.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
            target.storeBytes(of: end, toByteOffset: count - 4, as: UInt32.self)
        }
    }

    mutating func beginContainer(_ kind: ItemTape.Kind) {
        append(kind)
        open.append(nodeCount - 1 - firstNode)
    }

    /// Returns whether it was the outermost.
    mutating func endContainer() -> Bool {
        guard let start = open.popLast() else { return true }
        tape.nodes[firstNode + start] = ItemTape.Node(
            tape.nodes[firstNode + start].kind, content: Int64(nodeCount - firstNode))
        return open.isEmpty
    }

    /// Goes on with another tape, to which the value that has been begun moves.
    private mutating func move(bytes more: Int) {
        let (nodes, bytes) = (nodeCount - firstNode, byteCount - firstByte)
        let moved = ItemTape(
            nodes: max(ItemPacker.nodeCapacity, nodes * 2),
            bytes: max(ItemPacker.byteCapacity, bytes * 2, bytes + more))
        moved.nodes.initialize(from: tape.nodes + firstNode, count: nodes)
        moved.bytes.copyMemory(from: tape.bytes + firstByte, byteCount: bytes)
        tape = moved
        (firstNode, firstByte) = (0, 0)
        (nodeCount, byteCount) = (nodes, bytes)
    }
}

extension ItemPacker {
    /// The value that an event begins, whole.
    mutating func pack(_ first: JSONEvent, from reader: inout JSONReader) throws -> PackedValue {
        begin()
        var event = first
        repeat {
            switch event {
            case .key: append(.key, text: reader.text)
            case .string: append(.string, text: reader.text)
            case .number:
                // A number that is not written as an integer keeps its text, which may become a string; so does `-0`. The
                // reader knows its digits, so that it costs little to note what it is as a double.
                if reader.isPlainNumber, let integer = reader.int64, integer != 0 || reader.text.count == 1 {
                    append(.integer, content: integer)
                } else {
                    append(.number, text: reader.text)
                    append(.real, content: Int64(bitPattern: (reader.double ?? .nan).bitPattern))
                }
            case .beginObject: beginContainer(.object)
            case .beginArray: beginContainer(.array)
            case .endObject, .endArray: if endContainer() { return end() }
            case .true: append(.true)
            case .false: append(.false)
            case .null, .end: append(.null)
            }
            if open.isEmpty { break }
            event = try reader.next()
        } while true
        return end()
    }
}
