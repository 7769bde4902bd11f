/// What a client sends to write a place: the key is in the path, or comes from the store.
struct PlaceBody: Decodable {
    var name: String
    var country: String
    var latitude: Double
    var longitude: Double
    var population: Int
    var timeZone: String?
    /// The version that the client has read; nil to replace the place whatever has changed.
    var version: Int?

    func place(id: Int64 = 0) -> Place {
        Place(
            id: id, name: name, country: country, latitude: latitude, longitude: longitude, population: population,
            timeZone: timeZone, version: version ?? 0)
    }
}
