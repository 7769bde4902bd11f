/// A copy of a block's bytes at an address that stays the same until the next copy.
final class BlockMemory {
    /// Belongs to this object: freed when it is replaced by a larger one, and by `deinit`.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { memory.deallocate() }

    /// Copies the bytes. The result stays valid until the next call, and as long as this object exists.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if memory.count < bytes.count {
            memory.deallocate()
            memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 512), alignment: 8)
        }
        memory.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
    }
}
