import GranaryCore

/// Objects that are held until the end of the import, and which records they are: what comes later of these is held too.
struct HeldObjects {
    private(set) var objects: [NumberedItem] = []
    /// The size of the objects in memory, about.
    private var bytes = 0
    /// The records that the objects are, by entity.
    private var records: [Int: [IdentityTable]] = [:]
    /// The records that are known by references to records without keys.
    private var identities: [HeldIdentity: [ReferredNames]] = [:]

    var isEmpty: Bool { objects.isEmpty }
    var isAnyOpen: Bool { !identities.isEmpty }

    /// The size in memory with further objects.
    func bytes(with late: [NumberedItem]) -> Int { late.reduce(bytes) { $0 + $1.item.value.size } }

    mutating func add(_ late: [NumberedItem]) {
        bytes = bytes(with: late)
        objects += late
    }

    /// Takes all objects, in the order of the source, and forgets which records they are.
    mutating func takeAll() -> [NumberedItem] {
        let all = objects.sorted { $0.number < $1.number }
        self = HeldObjects()
        return all
    }

    /// The tables of the identities of an entity; nil if no object of it is held.
    func tables(of entity: Int) -> [IdentityTable]? { records[entity] }

    mutating func note(_ values: [StoredValue], _ identity: Int, _ row: Int, _ plan: EntityPlan) {
        records[plan.position, default: plan.identities.map { _ in IdentityTable() }][identity][values] = row
    }

    mutating func note(_ names: ReferredNames, _ identity: HeldIdentity) {
        if !(identities[identity]?.contains(names) ?? false) { identities[identity, default: []].append(names) }
    }

    /// What held objects refer to that an identity may be.
    func names(of identity: HeldIdentity) -> [ReferredNames] { identities[identity] ?? [] }
}
