#if os(Linux)
    import Glibc
    import GranaryPlatform

    /// Lines that a process writes and its parent reads, in memory that both share: what was written stays when the writer
    /// is killed, and no fault touches it.
    ///
    /// The memory begins with the numbers of bytes and of lines written; they are set after the bytes, so that a line is there whole or not.
    // @unchecked: one process writes, each line while `lock` is held; the parent reads when the writer has ended, or whole lines
    // before. No thread holds the lock while a child is forked.
    final class Board: @unchecked Sendable {
        private let memory: UnsafeMutableRawPointer
        private let capacity: Int
        private let lock = Lock()

        init(capacity: Int = 1 << 20) throws {
            self.capacity = capacity
            memory = try sharedMemory(capacity)
        }

        deinit { munmap(memory, capacity) }

        private var used: Int {
            get { memory.load(as: Int.self) }
            set { memory.storeBytes(of: newValue, as: Int.self) }
        }

        private(set) var lineCount: Int {
            get { memory.load(fromByteOffset: 8, as: Int.self) }
            set { memory.storeBytes(of: newValue, toByteOffset: 8, as: Int.self) }
        }

        func clear() { (used, lineCount) = (0, 0) }

        /// - Parameter then: What is done before another line is written.
        func write(_ line: String, then: () -> Void = {}) {
            let bytes = Array("\(line)\n".utf8)
            lock.withLock {
                guard 16 + used + bytes.count <= capacity else { return }
                bytes.withUnsafeBytes { (memory + 16 + used).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
                used += bytes.count
                lineCount += 1
                then()
            }
        }

        var lines: [String] {
            let bytes = UnsafeRawBufferPointer(start: memory + 16, count: used)
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
        }
    }

    /// Memory that this process shares with the children that it forks.
    func sharedMemory(_ size: Int) throws -> UnsafeMutableRawPointer {
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { throw HarnessError("no memory to share: \(size) bytes") }
        return memory
    }

    /// A failure of the harness itself.
    struct HarnessError: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
#endif
