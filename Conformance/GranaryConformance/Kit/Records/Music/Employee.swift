public import GranaryCore

/// Somebody of the shop, under another or under nobody. Written by hand, as every record of the suite: no macro is needed.
public struct Employee: Record, Equatable {
    public var id: Int64
    public var label: String
    public var manager: Ref<Employee>?
    public var salary: Int64?

    public init(id: Int64, label: String = "", manager: Ref<Employee>? = nil, salary: Int64? = nil) {
        self.id = id
        self.label = label
        self.manager = manager
        self.salary = salary
    }
}

extension Employee {
    public static let entityName = "Employee"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("label", String.self),
            Attribute("manager", Ref<Employee>?.self),
            Attribute("salary", Int64?.self),
        ])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("reports", entity: "Employee", attribute: "manager"))
    ]

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        label = try row.decode(at: 1)
        manager = try row.decode(at: 2)
        salary = try row.decode(at: 3)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(label, at: 1)
        try row.encode(manager, at: 2)
        try row.encode(salary, at: 3)
    }

    public struct Fields: Sendable {
        public let id = Field<Employee, Int64>("id")
        public let label = Field<Employee, String>("label")
        public let manager = Field<Employee, Ref<Employee>?>("manager")
        public let salary = Field<Employee, Int64?>("salary")
        public let reports = Related<Employee, Employee>("reports")
    }
    public static let fields = Fields()
}
