import GranaryPlatform

/// Something that belongs to a stack, made when it is first asked for, that ends with it: the streams of its changes,
/// say. The stack need not know what it is.
protocol StackCompanion: AnyObject, Sendable {
    /// Called once a stack, with a lock held. It must not hold the stack, which holds it.
    init(of stack: Stack)
    /// The stack is about to close: reads and writes that begin from now on throw `closed`.
    func stackCloses()
}

final class StackCompanions: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var companions: [ObjectIdentifier: any StackCompanion] = [:]
    nonisolated(unsafe) private var isClosed = false

    /// The one companion of a type.
    func companion<Companion: StackCompanion>(_ type: Companion.Type, of stack: Stack) -> Companion {
        let (companion, isLate) = lock.withLock {
            if let known = companions[ObjectIdentifier(type)] as? Companion { return (known, false) }
            let new = Companion(of: stack)
            companions[ObjectIdentifier(type)] = new
            return (new, isClosed)
        }
        if isLate { companion.stackCloses() }
        return companion
    }

    func close() {
        let all = lock.withLock {
            isClosed = true
            return Array(companions.values)
        }
        for companion in all { companion.stackCloses() }
    }
}

extension Stack {
    func companion<Companion: StackCompanion>(_ type: Companion.Type) -> Companion {
        companions.companion(type, of: self)
    }
}
