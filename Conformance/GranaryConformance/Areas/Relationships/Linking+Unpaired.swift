import ConformanceKit
import GranaryCore

// Two many-to-many relationships between the same two types, each with links of its own, are hardly ever meant.

var linkingUnpairedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.unpaired", in: .linking,
            "a many-to-many relationship declared on both sides without an inverse is refused, with the line to write"
        ) { trial in
            let error = try expectError(.invalidSchema, entity: "Right", attributes: ["lefts"]) {
                try trial.open(Schema(Left<Unpaired>.self, Right<Unpaired>.self))
            }
            try expectEqual(
                error.message,
                "Left.rights and Right.lefts would each have links of their own, and neither would show those of the other."
                    + " In Right write: static let lefts = ManyToMany(\\Left.Fields.rights). If two relationships are meant,"
                    + " declare the inverse of one of them, too.")
            let ordered = try expectError(.invalidSchema, entity: "Left", attributes: ["rights"]) {
                try trial.open(Schema(Left<OrderedRight>.self, Right<OrderedRight>.self))
            }
            try expect(
                ordered.message.contains("In Left write: static let rights = ManyToMany(\\Right.Fields.lefts)"), "")
        },
        ConformanceCase(
            "linking.paired", in: .linking, "two relationships between two types are kept where one has an inverse"
        ) { trial in
            try trial.open(Schema(Left<Paired>.self, Right<Paired>.self))
            try trial.write { tx in
                try tx.insert([Left<Paired>(id: 1)])
                try tx.insert([Right<Paired>(id: 1)])
            }
            try expectEqual(try trial.read { try $0.count(Left<Paired>.all) }, 1)
        },
    ]
}

/// Which relationships two types declare to each other.
private protocol Declarations: Sendable {
    static var isOrderedOnTheRight: Bool { get }
    static var isPaired: Bool { get }
}

private enum Unpaired: Declarations {
    static let isOrderedOnTheRight = false
    static let isPaired = false
}

private enum OrderedRight: Declarations {
    static let isOrderedOnTheRight = true
    static let isPaired = false
}

private enum Paired: Declarations {
    static let isOrderedOnTheRight = false
    static let isPaired = true
}

private struct Left<Kind: Declarations>: Record {
    var id: Int64

    init(id: Int64) { self.id = id }

    static var entityName: String { "Left" }
    static var entity: Entity { Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)]) }
    static var relationships: [DeclaredRelationship] {
        [GranaryCore.ManyToMany<Left, Right<Kind>>(Right<Kind>.self).declared(as: "rights")]
    }
    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }

    struct Fields: Sendable {
        let id = Field<Left, Int64>("id")
        let rights = Related<Left, Right<Kind>>("rights")
    }
    static var fields: Fields { Fields() }
}

private struct Right<Kind: Declarations>: Record {
    var id: Int64

    init(id: Int64) { self.id = id }

    static var entityName: String { "Right" }
    static var entity: Entity { Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)]) }
    static var relationships: [DeclaredRelationship] {
        let own = GranaryCore.ManyToMany<Right, Left<Kind>>(Left<Kind>.self, ordered: Kind.isOrderedOnTheRight)
        let inverse = GranaryCore.ManyToMany<Right, Left<Kind>>(\.rights)
        return [own.declared(as: "lefts")] + (Kind.isPaired ? [inverse.declared(as: "rightOf")] : [])
    }
    init(row: borrowing Row) throws { id = try row.decode(at: 0) }
    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }

    struct Fields: Sendable {
        let id = Field<Right, Int64>("id")
    }
    static var fields: Fields { Fields() }
}
