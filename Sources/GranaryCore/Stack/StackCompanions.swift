import GranaryPlatform

/// An object that belongs to a stack, is made when first requested, and ends with the stack, such as the streams of its
/// changes. The stack does not depend on its type.
protocol StackCompanion: AnyObject, Sendable {
    /// Called once for each stack, with a lock held. The companion must not hold the stack, because the stack holds it.
    init(of stack: Stack)
    /// The stack is about to close: reads and writes that begin from now on throw `closed`.
    func stackCloses()
}

final class StackCompanions: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var companions: [ObjectIdentifier: any StackCompanion] = [:]
    nonisolated(unsafe) private var isClosed = false

    /// The companion of a type. There is one for each stack.
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
