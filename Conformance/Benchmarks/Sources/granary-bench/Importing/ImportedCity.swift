import GranaryCore

/// A city as ``ImportFiles`` has it: a key and seven typed values, no index.
struct ImportedCity: Record, Equatable {
    var id: Int64 { geonameid }
    var geonameid: Int64
    var name: String
    var latitude: Double
    var longitude: Double
    var countrycode: String
    var population: Int
    var timezone: String
    var admin1code: String

    init(
        geonameid: Int64, name: String, latitude: Double, longitude: Double, countrycode: String, population: Int,
        timezone: String, admin1code: String
    ) {
        self.geonameid = geonameid
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
        self.countrycode = countrycode
        self.population = population
        self.timezone = timezone
        self.admin1code = admin1code
    }

    /// What its values are called in files, in the order of the attributes.
    static let keys = [
        "geonameid", "name", "latitude", "longitude", "countrycode", "population", "timezone", "admin1code",
    ]
    /// A city to fill in.
    static let empty = ImportedCity(
        geonameid: 0, name: "", latitude: 0, longitude: 0, countrycode: "", population: 0, timezone: "", admin1code: "")

    static let entityName = "City"
    static let entity = Entity(
        entityName, key: "geonameid",
        attributes: [
            Attribute("geonameid", Int64.self), Attribute("name", String.self), Attribute("latitude", Double.self),
            Attribute("longitude", Double.self), Attribute("countrycode", String.self),
            Attribute("population", Int.self), Attribute("timezone", String.self), Attribute("admin1code", String.self),
        ])

    init(row: borrowing Row) throws {
        try self.init(
            geonameid: row.decode(at: 0), name: row.decode(at: 1), latitude: row.decode(at: 2),
            longitude: row.decode(at: 3), countrycode: row.decode(at: 4), population: row.decode(at: 5),
            timezone: row.decode(at: 6), admin1code: row.decode(at: 7))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(geonameid, at: 0)
        try row.encode(name, at: 1)
        try row.encode(latitude, at: 2)
        try row.encode(longitude, at: 3)
        try row.encode(countrycode, at: 4)
        try row.encode(population, at: 5)
        try row.encode(timezone, at: 6)
        try row.encode(admin1code, at: 7)
    }

    static var keepsValues: Bool { true }

    struct Fields: Sendable {
        let geonameid = Field<ImportedCity, Int64>("geonameid")
        let population = Field<ImportedCity, Int>("population")
    }
    static let fields = Fields()
}
