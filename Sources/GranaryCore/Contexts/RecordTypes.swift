import GranaryPlatform
import Synchronization

/// The entity of each record type in a stack's schema, found and checked once for each type.
///
/// Every read looks up its type, so a look-up takes no lock and computes no hash: the types found so far are in a list
/// that is never changed. A further type makes a new list. Old lists stay until the end, because another thread may be
/// reading one.
final class RecordTypes: Sendable {
    private final class List: Sendable {
        let entries: [(type: ObjectIdentifier, position: Int)]

        init(_ entries: [(type: ObjectIdentifier, position: Int)]) { self.entries = entries }

        func position(of type: ObjectIdentifier) -> Int? { entries.first { $0.type == type }?.position }
    }

    private let newest = Atomic<Unmanaged<List>?>(nil)
    private let lock = Lock()
    /// For each entity the position of the time of creation; nil where it has none, empty if no entity has one.
    private let creationTimes: [Int?]
    /// Whether any entity has a time of creation.
    var haveCreationTimes: Bool { !creationTimes.isEmpty }
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var lists: [List] = []

    /// The log of the stack, for contexts, which know it by its types alone.
    let logs: StackLogs

    /// - Parameters:
    ///   - schema: Of a stack; nil where no times are kept.
    ///   - logs: The log of the stack.
    init(_ schema: Schema? = nil, _ logs: StackLogs = StackLogs(kind: "store")) {
        self.logs = logs
        let times = schema?.entities.map { entity in entity.attributes.firstIndex { $0.stamp == .created } } ?? []
        creationTimes = times.contains { $0 != nil } ? times : []
    }

    /// The position of an entity's time of creation; nil if it has none.
    func creationTime(of entity: Int) -> Int? { creationTimes.isEmpty ? nil : creationTimes[entity] }

    /// - Throws: `unknownEntity` if the schema lacks the type, `schemaMismatch` if it has another entity of that name.
    func position<R: Record>(of type: R.Type, in schema: @autoclosure () -> Schema) throws -> Int {
        let known = newest.load(ordering: .acquiring)?._withUnsafeGuaranteedRef {
            $0.position(of: ObjectIdentifier(type))
        }
        return try known ?? nil ?? find(type, in: schema())
    }

    @inline(never) private func find<R: Record>(_ type: R.Type, in schema: Schema) throws -> Int {
        let position = try schema.position(ofEntity: R.entityName)
        let (declared, stored) = (R.entity, schema.entities[position])
        let agree =
            declared.attributes.count == stored.attributes.count
            && zip(declared.attributes, stored.attributes).allSatisfy {
                ($0.name, $0.type, $0.isOptional) == ($1.name, $1.type, $1.isOptional)
            }
        guard agree, declared.key == stored.key else {
            throw GranaryError(
                .schemaMismatch,
                "\(R.self) declares other attributes than the entity \(R.entityName) of the stack's schema. Pass \(R.self).self to Schema(...).",
                entity: R.entityName)
        }
        lock.withLock {
            let entries = lists.last?.entries ?? []
            if entries.contains(where: { $0.type == ObjectIdentifier(type) }) { return }
            let list = List([(ObjectIdentifier(type), position)] + entries)
            lists.append(list)
            newest.store(Unmanaged.passUnretained(list), ordering: .releasing)
        }
        return position
    }
}
