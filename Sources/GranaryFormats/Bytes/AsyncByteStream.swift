import GranaryPlatform

/// The chunks of an asynchronous sequence, as a stream. The reading thread blocks until the next chunk arrives.
///
/// A task takes the next chunk from the sequence when the previous one has been read, so at most two chunks are in
/// memory. The task is cancelled when the stream is freed. ``StreamCancellation`` wakes a thread that waits for a
/// chunk.
final class AsyncByteStream: ByteStream {
    private let handover: ChunkHandover
    private let task: Task<Void, Never>

    init<S: AsyncSequence & Sendable>(_ chunks: S) where S.Element: Sequence<UInt8> {
        let handover = ChunkHandover()
        self.handover = handover
        StreamCancellation.current?.onCancel { [weak handover] in
            handover?.end(GranaryError(.cancelled, "The import was cancelled."))
        }
        task = Task {
            do {
                for try await chunk in chunks {
                    guard await handover.give(Array(chunk)) else { return }
                }
                handover.end(nil)
            } catch {
                handover.end(error)
            }
        }
    }

    deinit {
        task.cancel()
        handover.close()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { try handover.take(into: buffer) }
}

/// Holds a chunk between the task that gives it and the thread that takes it.
// @unchecked: all mutable fields are read and written under the lock.
private final class ChunkHandover: @unchecked Sendable {
    private let lock = Lock()
    private let arrived = Lock.Condition()
    private var chunk: ArraySlice<UInt8> = []
    private var giver: CheckedContinuation<Void, Never>?
    private var hasEnded = false
    private var error: (any Error)?
    private var isClosed = false

    /// Hands over a chunk, and returns when it has been read. Returns false if reading has ended.
    func give(_ bytes: [UInt8]) async -> Bool {
        guard !bytes.isEmpty else { return lock.withLock { !isClosed } }
        await withCheckedContinuation { continuation in
            let isClosed = lock.withLock {
                if self.isClosed { return true }
                chunk = bytes[...]
                giver = continuation
                arrived.signal()
                return false
            }
            if isClosed { continuation.resume() }
        }
        return lock.withLock { !isClosed }
    }

    func end(_ error: (any Error)?) {
        lock.withLock {
            // Only the first end counts.
            guard !hasEnded else { return }
            hasEnded = true
            self.error = error
            arrived.signal()
        }
    }

    func close() {
        let waiting = lock.withLock {
            isClosed = true
            defer { giver = nil }
            return giver
        }
        waiting?.resume()
    }

    func take(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let (count, waiting) = try lock.withLock { () throws -> (Int, CheckedContinuation<Void, Never>?) in
            while chunk.isEmpty && !hasEnded { arrived.wait(lock) }
            if chunk.isEmpty {
                if let error { throw error }
                return (0, nil)
            }
            let count = min(chunk.count, buffer.count)
            buffer.copyBytes(from: chunk.prefix(count))
            chunk.removeFirst(count)
            guard chunk.isEmpty else { return (count, nil) }
            defer { giver = nil }
            return (count, giver)
        }
        waiting?.resume()
        return count
    }
}

/// Gathers single bytes into chunks.
struct GatheredBytes<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == UInt8 {
    let base: Base

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        private var hasEnded = false

        init(base: Base.AsyncIterator) { self.base = base }

        mutating func next() async throws -> [UInt8]? {
            var chunk: [UInt8] = []
            while !hasEnded && chunk.count < 16_384 {
                guard let byte = try await base.next() else {
                    hasEnded = true
                    break
                }
                chunk.append(byte)
            }
            return chunk.isEmpty ? nil : chunk
        }
    }
}
