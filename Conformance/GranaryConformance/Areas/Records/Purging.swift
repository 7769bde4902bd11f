import ConformanceKit
import Foundation
import GranaryCore

/// Stale once its time is over.
private struct Lease: Record {
    var id: Int64
    var expires: Date

    static let entityName = "Lease"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("expires", Date.self)])
    static var staleCondition: Condition<Lease>? { fields.expires < Date() }

    init(id: Int64, expires: Date) {
        self.id = id
        self.expires = expires
    }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        expires = try row.decode(at: 1)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(expires, at: 1)
    }

    struct Fields: Sendable {
        let id = Field<Lease, Int64>("id")
        let expires = Field<Lease, Date>("expires")
    }
    static let fields = Fields()
}

/// Something about a lease: goes with it, or keeps it, and is stale itself where it says so.
private struct Slip: Record {
    var id: Int64
    var lease: Ref<Lease>?
    var seal: Ref<Lease>?
    var isVoid: Bool

    static let entityName = "Slip"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("lease", Ref<Lease>?.self, onDelete: .cascade),
            Attribute("seal", Ref<Lease>?.self, onDelete: .deny), Attribute("isVoid", Bool.self),
        ])
    static var staleCondition: Condition<Slip>? { fields.isVoid == true }

    init(id: Int64, lease: Int64? = nil, seal: Int64? = nil, isVoid: Bool = false) {
        self.id = id
        self.lease = lease.map { Ref($0) }
        self.seal = seal.map { Ref($0) }
        self.isVoid = isVoid
    }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        lease = try row.decode(at: 1)
        seal = try row.decode(at: 2)
        isVoid = try row.decode(at: 3)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(lease, at: 1)
        try row.encode(seal, at: 2)
        try row.encode(isVoid, at: 3)
    }

    struct Fields: Sendable {
        let id = Field<Slip, Int64>("id")
        let isVoid = Field<Slip, Bool>("isVoid")
    }
    static let fields = Fields()
}

var purgingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "finders.purge-evaluated-afresh", in: .finders,
            "what has become stale since the last purge goes with the next",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.open(Schema(Lease.self, Slip.self))
            let soon = Date().addingTimeInterval(0.2)
            try trial.insert([
                Lease(id: 1, expires: .distantPast), Lease(id: 2, expires: soon), Lease(id: 3, expires: .distantFuture),
            ])
            try purge(stack)
            try expectEqual(try trial.find(Lease.self, 1) == nil, true)
            let end = ContinuousClock.now + .seconds(30)
            while try trial.find(Lease.self, 2) != nil {
                try expect(ContinuousClock.now < end, "a lease whose time is over is still there")
                await Task.yield()
                let isOver = Date() > soon
                let counts = try purge(stack)
                if isOver { try expectEqual(try trial.find(Lease.self, 2) == nil, true, "after \(counts)") }
            }
            try expectEqual(try trial.keys(Lease.all), [3])
            try expectEqual(try purge(stack), [:])
        },
        ConformanceCase(
            "finders.purge-denied", in: .finders,
            "a purge that a reference denies deletes nothing, and says which denies it"
        ) { trial in
            try trial.open(Schema(Lease.self, Slip.self))
            try trial.insert([1, 2, 3].map { Lease(id: $0, expires: $0 < 3 ? .distantPast : .distantFuture) })
            try trial.insert([Slip(id: 1, lease: 1), Slip(id: 2, seal: 2), Slip(id: 3, isVoid: true)])
            try expectError(.deniedDeletion, entity: "Slip", attributes: ["seal"]) { try purge(try trial.stack) }
            try expectEqual(try trial.keys(Lease.all), [1, 2, 3])
            try expectEqual(try trial.keys(Slip.all), [1, 2, 3])
            try trial.write { _ = try $0.delete(Slip.self, 2) }
            try expectEqual(try purge(try trial.stack), ["Lease": 2, "Slip": 1])
            try expectEqual(try trial.keys(Lease.all), [3])
        },
        ConformanceCase(
            "finders.purge-cascades", in: .finders, "what refers to a stale record goes with it where its rule says so"
        ) { trial in
            try trial.open(Schema(Lease.self, Slip.self))
            try trial.insert([1, 2, 3].map { Lease(id: $0, expires: $0 < 3 ? .distantPast : .distantFuture) })
            try trial.insert([
                Slip(id: 1, lease: 1), Slip(id: 2, lease: 1), Slip(id: 3, lease: 3, seal: 3), Slip(id: 4),
            ])
            try expectEqual(try purge(try trial.stack), ["Lease": 2])
            try expectEqual(try trial.keys(Lease.all), [3])
            try expectEqual(try trial.keys(Slip.all), [3, 4])
        },
    ]
}

@discardableResult private func purge(_ stack: Stack) throws -> [String: Int] { try stack.blocking.purgeStale() }
