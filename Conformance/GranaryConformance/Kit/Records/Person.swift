public import GranaryCore

/// A record with indexes: unique, single and compound, over required and optional attributes. Written by hand, as every record of the suite: no macro is needed.
public struct Person: Record, Equatable {
    public var id: Int64
    public var firstName: String
    public var lastName: String
    public var email: String?
    public var age: Int?
    public var rating: Double?
    public var country: String
    public var number: Int
    public var isActive: Bool

    public init(
        id: Int64, firstName: String = "", lastName: String = "", email: String? = nil, age: Int? = nil,
        rating: Double? = nil, country: String = "", number: Int = 0, isActive: Bool = true
    ) {
        self.id = id
        self.firstName = firstName
        self.lastName = lastName
        self.email = email
        self.age = age
        self.rating = rating
        self.country = country
        self.number = number
        self.isActive = isActive
    }
}

extension Person {
    public static let entityName = "Person"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("firstName", String.self),
            Attribute("lastName", String.self),
            Attribute("email", String?.self),
            Attribute("age", Int?.self),
            Attribute("rating", Double?.self),
            Attribute("country", String.self),
            Attribute("number", Int.self),
            Attribute("isActive", Bool.self),
        ],
        indexes: [
            .unique("email"), .index("lastName", "firstName"), .unique("country", "number"), .index("age"),
            .index("rating"),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        firstName = try row.decode(at: 1)
        lastName = try row.decode(at: 2)
        email = try row.decode(at: 3)
        age = try row.decode(at: 4)
        rating = try row.decode(at: 5)
        country = try row.decode(at: 6)
        number = try row.decode(at: 7)
        isActive = try row.decode(at: 8)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(firstName, at: 1)
        try row.encode(lastName, at: 2)
        try row.encode(email, at: 3)
        try row.encode(age, at: 4)
        try row.encode(rating, at: 5)
        try row.encode(country, at: 6)
        try row.encode(number, at: 7)
        try row.encode(isActive, at: 8)
    }

    public struct Fields: Sendable {
        public let id = Field<Person, Int64>("id")
        public let firstName = Field<Person, String>("firstName")
        public let lastName = Field<Person, String>("lastName")
        public let email = Field<Person, String?>("email")
        public let age = Field<Person, Int?>("age")
        public let rating = Field<Person, Double?>("rating")
        public let country = Field<Person, String>("country")
        public let number = Field<Person, Int>("number")
        public let isActive = Field<Person, Bool>("isActive")
    }
    public static let fields = Fields()
}

extension Person {
    /// The same with something changed.
    package func with(_ change: (inout Person) -> Void) -> Person {
        var person = self
        change(&person)
        return person
    }
}
