package import Granary

/// A place, such as a city.
@Record(indexes: [["country", "population"]])
package struct Place: Codable {
    @Key(.assigned) package var id: Int64 = 0
    @Searchable package var name: String
    /// The two letters of ISO 3166.
    package var country: String
    @Index package var latitude: Double
    package var longitude: Double
    @Index package var population: Int
    package var timeZone: String?
    /// A client that sends the version which it has read does not overwrite what others have changed since.
    @Version package var version = 0
}

extension Place {
    /// Every write of a place, an import too, refuses values that no place can have.
    package func validate() throws {
        func refuse(_ message: String, _ attribute: String) -> GranaryError {
            GranaryError(.invalidRecord, message, entity: Self.entityName, attributes: [attribute])
        }
        if name.isEmpty { throw refuse("A place needs a name.", "name") }
        guard country.utf8.count == 2, country.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else {
            throw refuse("A country has two capital letters, such as AD.", "country")
        }
        guard (-90...90).contains(latitude) else { throw refuse("A latitude is from -90 to 90.", "latitude") }
        guard (-180...180).contains(longitude) else { throw refuse("A longitude is from -180 to 180.", "longitude") }
        if population < 0 { throw refuse("A population is 0 or more.", "population") }
    }
}

/// Files of places also have the names of GeoNames.
extension Place: ImportMapped {
    package static let importMapping = ImportMapping()
        .map("id", from: "id", "geonameid")
        .map("country", from: "country", "countrycode")
}
