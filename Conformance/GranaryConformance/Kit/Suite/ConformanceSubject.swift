import Foundation
public import GranaryCore
import GranaryPlatform

/// A store to be tried.
///
/// ```swift
/// ConformanceSubject("sqlite", capabilities: [.persistence, .multipleProcesses]) { path, access in
///     .sqlite(atPath: path, options: .init(access: access))
/// }
/// ```
public struct ConformanceSubject: Sendable {
    /// What it is called in reports.
    public let name: String
    /// What texts call the store, which is the name of the subject unless its writes are made in contexts.
    package var storeName: String
    /// What the store says it can do. The suite checks that it is honest.
    public let capabilities: Set<Capability>
    /// Makes the provider of the store at a path. The same path is the same store; a new path, a new store.
    package let provider: @Sendable (_ path: String, _ access: StoreAccess) -> any StoreProvider
    /// Stores of other kinds, that copies of this one go to and come from. Empty, the default: the suite uses Granary's store in
    /// memory.
    public var peers: [ConformanceSubject] = []
    /// Damages the store at a path, so that the suite can see that `verify` reports it. The store is closed; a store in memory is
    /// held by its name. ``StoreDamage`` says what each kind of damage is. Nil, the default: cases that need a damaged store are
    /// reported as skipped.
    ///
    /// A closure that cannot make a kind of damage, because the store keeps nothing that could be damaged in this way, throws
    /// `unsupported` with the reason. The case is then reported as skipped, with this reason. A store over ordered keys uses
    /// ``StoreDamage/apply(to:)``.
    public var damage: (@Sendable (_ damage: StoreDamage, _ path: String) throws -> Void)?
    /// With what other stores' errors those of this one are compared; nil, the default, to compare none.
    public var ledger: ErrorLedger?
    /// Whether every write is made in a context, which reads a record before it replaces it.
    package var writesThroughContexts = false
    /// Whether it is a stack of several parts, each with files of its own, or none.
    package var isParted = false

    /// Whether the store can keep a history of what is committed.
    package var keepsHistory: Bool { capabilities.isSuperset(of: [.history, .changeRecording]) }

    /// Whether the store can do it.
    public func has(_ capability: Capability) -> Bool { Capabilities(features: capabilities).has(capability) }

    package func storeProvider(at path: String) -> any StoreProvider { provider(path, .readWrite) }

    /// The same store, with a provider of each path held until a list of them is let go: as long as one is, what a store in
    /// memory holds is there.
    func holding(_ held: HeldProviders) -> ConformanceSubject {
        var subject = ConformanceSubject(name, capabilities: capabilities) { [provider, name] path, access in
            let made = provider(path, access)
            held.hold(made, "\(name) \(path)")
            return made
        }
        subject.peers = peers.map { $0.holding(held) }
        subject.storeName = storeName
        subject.writesThroughContexts = writesThroughContexts
        subject.isParted = isParted
        subject.ledger = ledger
        subject.damage = damage
        return subject
    }

    public init(
        _ name: String, capabilities: Set<Capability>,
        provider: @escaping @Sendable (_ path: String, _ access: StoreAccess) -> any StoreProvider
    ) {
        self.name = name
        storeName = name
        self.capabilities = capabilities
        self.provider = provider
    }

    /// Opens a stack on the store at a path.
    public func open(
        _ schema: Schema, at path: String, access: StoreAccess = .readWrite, migration: MigrationPolicy = .automatic,
        seed: Seed? = nil, history: HistoryPolicy = .none, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> Stack {
        RuleTexts.learn(schema)
        return try Stack(
            schema, store: provider(path, access), migration: migration, seed: seed, history: history, clock: clock)
    }

    /// Opens a stack on the store at a path with the schema that is stored.
    package func openStored(at path: String, access: StoreAccess = .readWrite) throws -> Stack {
        try Stack(store: provider(path, access))
    }
}

/// Providers that a run of a case has used.
final class HeldProviders: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var providers: [String: any StoreProvider] = [:]

    func hold(_ provider: any StoreProvider, _ name: String) {
        lock.withLock { if providers[name] == nil { providers[name] = provider } }
    }
}
