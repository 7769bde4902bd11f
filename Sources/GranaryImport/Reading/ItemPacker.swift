import GranaryFormats

/// Writes the values of one reader onto tapes.
struct ItemPacker {
    private static let nodeCapacity = 4_096
    private static let byteCapacity = 1 << 16
    /// The number of known keys at each depth, and the number of depths.
    private static let (knownKeys, knownDepths) = (64, 8)

    private var tape = ItemTape(nodes: ItemPacker.nodeCapacity, bytes: ItemPacker.byteCapacity)
    private var nodeCount = 0
    private var byteCount = 0
    /// The first node of the value in progress.
    private var firstNode = 0
    private var firstByte = 0
    /// The open arrays and objects.
    private var open: [Int] = []
    /// For each key that the reader knows, by depth and number, its place on the tape; -1 if it is not there. The
    /// values share these keys.
    private var keyPlaces = ItemPacker.noPlaces

    private static let noPlaces = Array(repeating: -1, count: knownKeys * knownDepths)

    /// Begins a value. An unfinished value is discarded.
    mutating func begin() {
        if byteCount > firstByte { keyPlaces = ItemPacker.noPlaces }
        nodeCount = firstNode
        byteCount = firstByte
        open.removeAll(keepingCapacity: true)
    }

    /// Ends the value. Afterwards it does not change.
    mutating func end() -> PackedValue {
        defer { (firstNode, firstByte) = (nodeCount, byteCount) }
        return PackedValue(tape: tape, firstNode: firstNode, firstByte: firstByte)
    }

    mutating func append(_ kind: ItemTape.Kind, content: Int64 = 0) {
        if nodeCount == tape.nodeCapacity { move(bytes: 0) }
        put(kind, content)
    }

    mutating func append(_ kind: ItemTape.Kind, text: UnsafeRawBufferPointer) {
        if nodeCount == tape.nodeCapacity || tape.byteCapacity - byteCount < text.count { move(bytes: text.count) }
        put(kind, text)
    }

    /// Most texts are so short that a call takes longer than the copy. For shorter texts the two parts overlap.
    @inline(__always)
    private static func copy(_ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer) {
        func copyParts<Part: BitwiseCopyable>(_: Part.Type) {
            let end = count - MemoryLayout<Part>.size
            let (first, last) = (
                source.loadUnaligned(as: Part.self), source.loadUnaligned(fromByteOffset: end, as: Part.self)
            )
            target.storeBytes(of: first, as: Part.self)
            target.storeBytes(of: last, toByteOffset: end, as: Part.self)
        }
        switch count {
        case 8...16: copyParts(UInt64.self)
        case 4...7: copyParts(UInt32.self)
        case 2...3: copyParts(UInt16.self)
        case 17...32: copyParts(SIMD2<UInt64>.self)
        default: target.copyMemory(from: source, byteCount: count)
        }
    }

    mutating func beginContainer(_ kind: ItemTape.Kind) {
        append(kind)
        open.append(nodeCount - 1 - firstNode)
    }

    /// Returns whether it was the outermost one.
    mutating func endContainer() -> Bool {
        guard let start = open.popLast() else { return true }
        tape.nodes[firstNode + start] = ItemTape.Node(
            tape.nodes[firstNode + start].kind, content: Int64(nodeCount - firstNode))
        return open.isEmpty
    }

    /// Goes on with a new tape. The unfinished value moves to it, with the keys that it shares.
    private mutating func move(nodes moreNodes: Int = 1, bytes more: Int) {
        let (nodes, bytes) = (nodeCount - firstNode, byteCount - firstByte)
        var shared = 0
        for node in firstNode..<nodeCount where tape.nodes[node].isShared { shared += tape.nodes[node].count }
        let moved = ItemTape(
            nodes: max(ItemPacker.nodeCapacity, nodes * 2, nodes + moreNodes),
            bytes: max(ItemPacker.byteCapacity, bytes * 2, bytes + shared + more))
        moved.nodes.initialize(from: tape.nodes + firstNode, count: nodes)
        moved.bytes.copyMemory(from: tape.bytes + firstByte, byteCount: bytes)
        var end = bytes
        for number in 0..<nodes where moved.nodes[number].isShared {
            let key = moved.nodes[number]
            (moved.bytes + end).copyMemory(from: tape.bytes + firstByte + key.offset, byteCount: key.count)
            moved.nodes[number] = ItemTape.Node(.key, count: key.count, content: Int64(end))
            end += key.count
        }
        tape = moved
        keyPlaces = ItemPacker.noPlaces
        (firstNode, firstByte) = (0, 0)
        (nodeCount, byteCount) = (nodes, end)
    }
}

extension ItemPacker {
    /// The whole value that begins with an event.
    mutating func pack(_ first: JSONEvent, from reader: inout JSONReader) throws -> PackedValue {
        begin()
        var event = first
        repeat {
            switch event {
            case .key: append(.key, text: reader.text)
            case .string: append(.string, text: reader.text)
            case .number:
                // A number that is not written as an integer keeps its text, which may become a string; so does `-0`.
                // The reader knows its digits, so noting its value as a double costs little.
                if let integer = reader.plainInteger {
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
            if event != .key { appendPlain(from: &reader) }
            event = try reader.next()
        } while true
        return end()
    }

    /// Appends the next plain values.
    private mutating func appendPlain(from reader: inout JSONReader) {
        var members = reader.takePlain()
        while !members.isEmpty {
            var bytes = 0
            for member in members { bytes += member.key.count + member.text.count }
            // A key, a number and its double.
            if tape.nodeCapacity - nodeCount < 3 * members.count || tape.byteCapacity - byteCount < bytes {
                move(nodes: 3 * members.count, bytes: bytes)
            }
            let depth = reader.depth - 1
            for member in members {
                if member.keyNumber >= 0 { appendKnown(member, depth) }
                switch member.kind {
                case .string: put(.string, member.text)
                case .integer: put(.integer, member.content)
                case .number:
                    put(.number, member.text)
                    put(.real, member.content)
                case .true: put(.true, 0)
                case .false: put(.false, 0)
                case .null: put(.null, 0)
                }
            }
            members = reader.takePlain()
        }
    }

    /// Appends the key of a member. It is copied only once per tape.
    @inline(__always)
    private mutating func appendKnown(_ member: PlainMember, _ depth: Int) {
        guard depth < ItemPacker.knownDepths, member.keyNumber < ItemPacker.knownKeys else {
            return put(.key, member.key)
        }
        let number = depth * ItemPacker.knownKeys + member.keyNumber
        let place = keyPlaces[number]
        if place < 0 {
            keyPlaces[number] = byteCount
            put(.key, member.key)
        } else {
            (tape.nodes + nodeCount).initialize(
                to: ItemTape.Node(.key, count: member.key.count, content: Int64(place - firstByte)))
            nodeCount += 1
        }
    }

    /// Appends a node for which there is room.
    @inline(__always)
    private mutating func put(_ kind: ItemTape.Kind, _ content: Int64) {
        (tape.nodes + nodeCount).initialize(to: ItemTape.Node(kind, content: content))
        nodeCount += 1
    }

    /// Appends a text for which there is room.
    @inline(__always)
    private mutating func put(_ kind: ItemTape.Kind, _ text: UnsafeRawBufferPointer) {
        (tape.nodes + nodeCount).initialize(
            to: ItemTape.Node(kind, count: text.count, content: Int64(byteCount - firstByte)))
        if let start = text.baseAddress { ItemPacker.copy(start, text.count, to: tape.bytes + byteCount) }
        nodeCount += 1
        byteCount += text.count
    }
}
