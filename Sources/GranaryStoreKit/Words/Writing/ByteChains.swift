/// Many growing strings of bytes in one array, each a chain of pieces. Each piece is larger than the one before, up to
/// a limit, and ends with the place of the next one.
struct ByteChains {
    private var pool: [UInt8] = []
    private var chains: [Chain] = []

    private struct Chain {
        var start: Int
        /// Where the next byte goes, and where the last piece's bytes end.
        var end: Int
        var limit: Int
        /// The bytes of the last piece.
        var size: Int
    }

    private static let linkSize = 4
    private static let leastSize = 12
    private static let greatestSize = 1 << 10
    /// A chain's pieces are found by 32 bits, so the array must stay below this.
    static let mostBytes = Int(UInt32.max) - 2 * greatestSize

    var byteCount: Int { pool.count + chains.count * 32 }

    mutating func appendChain() {
        let start = pool.count
        addPiece(of: ByteChains.leastSize)
        chains.append(
            Chain(start: start, end: start, limit: start + ByteChains.leastSize, size: ByteChains.leastSize))
    }

    private mutating func addPiece(of size: Int) {
        pool.append(contentsOf: repeatElement(0, count: size + ByteChains.linkSize))
    }

    /// Appends bytes to a chain.
    @inline(__always) mutating func append(_ bytes: [UInt8], to number: Int) {
        let end = chains[number].end
        if end + bytes.count <= chains[number].limit {
            pool.withUnsafeMutableBufferPointer { pool in
                for (offset, byte) in bytes.enumerated() { pool[end + offset] = byte }
            }
            chains[number].end = end + bytes.count
        } else {
            appendOverEnd(bytes, to: number)
        }
    }

    @inline(never) private mutating func appendOverEnd(_ bytes: [UInt8], to number: Int) {
        var chain = chains[number]
        for byte in bytes {
            if chain.end == chain.limit {
                let next = pool.count
                for offset in 0..<ByteChains.linkSize {
                    pool[chain.limit + offset] = UInt8(truncatingIfNeeded: next >> (8 * offset))
                }
                chain.size = min(chain.size * 2, ByteChains.greatestSize)
                addPiece(of: chain.size)
                (chain.end, chain.limit) = (next, next + chain.size)
            }
            pool[chain.end] = byte
            chain.end += 1
        }
        chains[number] = chain
    }

    /// Replaces `bytes` with those of a chain.
    func copy(_ number: Int, to bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        let chain = chains[number]
        var start = chain.start
        var size = ByteChains.leastSize
        while start + size != chain.limit {
            bytes.append(contentsOf: pool[start..<start + size])
            let link = start + size
            start = (0..<ByteChains.linkSize).reduce(0) { $0 | Int(pool[link + $1]) << (8 * $1) }
            size = min(size * 2, ByteChains.greatestSize)
        }
        bytes.append(contentsOf: pool[start..<chain.end])
    }
}
