import Foundation
import GranaryCore

/// An account: a unique name, a text that is long now and then, and a picture in a file of its own.
struct Account: Record, Equatable {
    var id: Int64
    var name: String
    var note: String
    var total: Int64
    var picture: Data?

    static let entityName = "Account"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("note", String.self),
            Attribute("total", Int64.self), Attribute("picture", Data?.self).external(from: 100),
        ], indexes: [.unique("name"), .index("total")])

    init(id: Int64, name: String, note: String, total: Int64, picture: Data?) {
        (self.id, self.name, self.note, self.total, self.picture) = (id, name, note, total, picture)
    }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        note = try row.decode(at: 2)
        total = try row.decode(at: 3)
        picture = try row.decode(at: 4)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(note, at: 2)
        try row.encode(total, at: 3)
        try row.encode(picture, at: 4)
    }

    struct Fields: Sendable {
        let id = Field<Account, Int64>("id")
    }
    static let fields = Fields()
}

/// An entry of an account, deleted with it; a second account may be named, and is forgotten when that is deleted.
struct Entry: Record, Equatable {
    var id: Int64
    var account: Ref<Account>
    var other: Ref<Account>?
    var amount: Int64

    static let entityName = "Entry"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("account", Ref<Account>.self, onDelete: .cascade),
            Attribute("other", Ref<Account>?.self, onDelete: .nullify), Attribute("amount", Int64.self),
        ])

    init(id: Int64, account: Ref<Account>, other: Ref<Account>?, amount: Int64) {
        (self.id, self.account, self.other, self.amount) = (id, account, other, amount)
    }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        account = try row.decode(at: 1)
        other = try row.decode(at: 2)
        amount = try row.decode(at: 3)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(account, at: 1)
        try row.encode(other, at: 2)
        try row.encode(amount, at: 3)
    }

    struct Fields: Sendable {
        let id = Field<Entry, Int64>("id")
    }
    static let fields = Fields()
}

/// The last step that a writer has committed.
struct Progress: Record, Equatable {
    var id: Int64
    var step: Int64

    static let entityName = "Progress"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("step", Int64.self)])

    init(id: Int64, step: Int64) { (self.id, self.step) = (id, step) }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        step = try row.decode(at: 1)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(step, at: 1)
    }

    struct Fields: Sendable {
        let id = Field<Progress, Int64>("id")
    }
    static let fields = Fields()
}
