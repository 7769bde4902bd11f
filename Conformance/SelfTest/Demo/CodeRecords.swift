import GranaryCore

// The tables of ISO codes as records, written by hand: with `@Record` the fields would be all, but the tool would have to
// build swift-syntax first.

/// A country of ISO 3166-1.
struct Country: Record {
    var alpha2: String
    var alpha3: String
    var name: String
    var officialName: String?
    var numeric: String
    var flag: String?

    var id: String { alpha2 }
}

extension Country {
    static let entityName = "Country"
    static let entity = Entity(
        entityName, key: "alpha2",
        attributes: [
            Attribute("alpha2", String.self),
            Attribute("alpha3", String.self),
            Attribute("name", String.self),
            Attribute("officialName", String?.self),
            Attribute("numeric", String.self),
            Attribute("flag", String?.self),
        ],
        indexes: [.unique("alpha3"), .index("name")])

    init(row: borrowing Row) throws {
        alpha2 = try row.decode(at: 0)
        alpha3 = try row.decode(at: 1)
        name = try row.decode(at: 2)
        officialName = try row.decode(at: 3)
        numeric = try row.decode(at: 4)
        flag = try row.decode(at: 5)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(alpha2, at: 0)
        try row.encode(alpha3, at: 1)
        try row.encode(name, at: 2)
        try row.encode(officialName, at: 3)
        try row.encode(numeric, at: 4)
        try row.encode(flag, at: 5)
    }

    struct Fields: Sendable {
        let alpha2 = Field<Country, String>("alpha2")
        let alpha3 = Field<Country, String>("alpha3")
        let name = Field<Country, String>("name")
        let officialName = Field<Country, String?>("officialName")
        let numeric = Field<Country, String>("numeric")
        let flag = Field<Country, String?>("flag")
    }
    static let fields = Fields()
}

/// A part of a country of ISO 3166-2, and the part it lies in, if it lies in one.
struct Subdivision: Record {
    var code: String
    var name: String
    var type: String
    var country: Ref<Country>
    var parent: Ref<Subdivision>?

    var id: String { code }
}

extension Subdivision {
    static let entityName = "Subdivision"
    static let entity = Entity(
        entityName, key: "code",
        attributes: [
            Attribute("code", String.self),
            Attribute("name", String.self),
            Attribute("type", String.self),
            Attribute("country", Ref<Country>.self),
            Attribute("parent", Ref<Subdivision>?.self),
        ],
        indexes: [.index("name"), .index("type")])

    init(row: borrowing Row) throws {
        code = try row.decode(at: 0)
        name = try row.decode(at: 1)
        type = try row.decode(at: 2)
        country = try row.decode(at: 3)
        parent = try row.decode(at: 4)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(code, at: 0)
        try row.encode(name, at: 1)
        try row.encode(type, at: 2)
        try row.encode(country, at: 3)
        try row.encode(parent, at: 4)
    }

    struct Fields: Sendable {
        let code = Field<Subdivision, String>("code")
        let name = Field<Subdivision, String>("name")
        let type = Field<Subdivision, String>("type")
        let country = Field<Subdivision, Ref<Country>>("country")
        let parent = Field<Subdivision, Ref<Subdivision>?>("parent")
    }
    static let fields = Fields()
}

/// A currency of ISO 4217.
struct Currency: Record {
    var alpha3: String
    var name: String
    var numeric: Int?

    var id: String { alpha3 }
}

extension Currency {
    static let entityName = "Currency"
    static let entity = Entity(
        entityName, key: "alpha3",
        attributes: [
            Attribute("alpha3", String.self),
            Attribute("name", String.self),
            Attribute("numeric", Int?.self),
        ],
        indexes: [.index("name"), .index("numeric")])

    init(row: borrowing Row) throws {
        alpha3 = try row.decode(at: 0)
        name = try row.decode(at: 1)
        numeric = try row.decode(at: 2)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(alpha3, at: 0)
        try row.encode(name, at: 1)
        try row.encode(numeric, at: 2)
    }

    struct Fields: Sendable {
        let alpha3 = Field<Currency, String>("alpha3")
        let name = Field<Currency, String>("name")
        let numeric = Field<Currency, Int?>("numeric")
    }
    static let fields = Fields()
}

/// A language of ISO 639-3.
struct Language: Record {
    var alpha3: String
    var name: String
    var alpha2: String?
    var scope: Scope
    var type: Kind

    var id: String { alpha3 }

    enum Scope: String, AttributeValue { case individual = "I", macrolanguage = "M", special = "S" }
    enum Kind: String, AttributeValue {
        case ancient = "A", constructed = "C", extinct = "E", historical = "H", living = "L", special = "S"
    }
}

extension Language {
    static let entityName = "Language"
    static let entity = Entity(
        entityName, key: "alpha3",
        attributes: [
            Attribute("alpha3", String.self),
            Attribute("name", String.self),
            Attribute("alpha2", String?.self),
            Attribute("scope", Scope.self),
            Attribute("type", Kind.self),
        ],
        indexes: [.index("name"), .unique("alpha2"), .index("type", "name")])

    init(row: borrowing Row) throws {
        alpha3 = try row.decode(at: 0)
        name = try row.decode(at: 1)
        alpha2 = try row.decode(at: 2)
        scope = try row.decode(at: 3)
        type = try row.decode(at: 4)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(alpha3, at: 0)
        try row.encode(name, at: 1)
        try row.encode(alpha2, at: 2)
        try row.encode(scope, at: 3)
        try row.encode(type, at: 4)
    }

    struct Fields: Sendable {
        let alpha3 = Field<Language, String>("alpha3")
        let name = Field<Language, String>("name")
        let alpha2 = Field<Language, String?>("alpha2")
        let scope = Field<Language, Scope>("scope")
        let type = Field<Language, Kind>("type")
    }
    static let fields = Fields()
}
