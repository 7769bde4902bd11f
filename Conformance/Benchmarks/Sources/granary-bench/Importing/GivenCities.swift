import GranaryFormats

/// The cities of a file that is given: an array, JSON lines, or one object of cities, as `cities15000.json` is.
enum GivenCities {
    /// Writes the cities of a file as JSON lines, with everything that they have.
    ///
    /// - Parameter isChanged: Whether each tenth city gets one inhabitant more.
    /// - Returns: The cities as they are written.
    static func copy(_ path: String, to lines: String, isChanged: Bool) throws -> [ImportedCity] {
        let name = path.lowercased()
        let isLines = [".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"].contains { name.hasSuffix($0) }
        var reader = try JSONReader(.file(path), JSONOptions(layout: isLines ? .lines : .document))
        var writer = JSONWriter(try FileSink(lines), layout: .lines)
        var cities: [ImportedCity] = []
        var keys: Set<Int64> = []
        // An object at this depth is a city, whether an array or an object is around it.
        let depth = isLines ? 1 : 2
        while try reader.nextDocument() {
            reading: while true {
                switch try reader.next() {
                case .beginObject where reader.depth == depth:
                    let added = isChanged && cities.count % 10 == 0 ? 1 : 0
                    let city = try copyCity(number: cities.count, adding: added, from: &reader, to: &writer)
                    guard keys.insert(city.geonameid).inserted else {
                        throw BenchmarkError("\(path) has two cities with the geonameid \(city.geonameid).")
                    }
                    cities.append(city)
                case .end: break reading
                default: break
                }
            }
        }
        try writer.finish()
        guard !cities.isEmpty else {
            throw BenchmarkError("\(path) has no cities. It must be an array, an object of cities, or JSON lines.")
        }
        return cities
    }

    /// Copies the members of an object whose beginning has been read, and its end.
    private static func copyCity(
        number: Int, adding added: Int, from reader: inout JSONReader, to writer: inout JSONWriter
    ) throws -> ImportedCity {
        var city = ImportedCity.empty
        var found: Set<String> = []
        try writer.beginObject()
        while try reader.next() == .key {
            let key = reader.string
            try writer.key(key)
            switch key {
            case "geonameid":
                city.geonameid = try integer(key, number, &reader)
                try writer.integer(city.geonameid)
            case "population":
                city.population = Int(try integer(key, number, &reader)) + added
                try writer.integer(Int64(city.population))
            case "latitude": city.latitude = try copyDouble(key, number, from: &reader, to: &writer)
            case "longitude": city.longitude = try copyDouble(key, number, from: &reader, to: &writer)
            case "name": city.name = try copyText(key, number, from: &reader, to: &writer)
            case "countrycode": city.countrycode = try copyText(key, number, from: &reader, to: &writer)
            case "timezone": city.timezone = try copyText(key, number, from: &reader, to: &writer)
            case "admin1code": city.admin1code = try copyText(key, number, from: &reader, to: &writer)
            default:
                try writer.value(from: &reader)
                continue
            }
            found.insert(key)
        }
        try writer.endObject()
        guard found.count == ImportedCity.keys.count else {
            let missing = ImportedCity.keys.filter { !found.contains($0) }
            throw BenchmarkError("City \(number) of the file has no \(missing.joined(separator: ", ")).")
        }
        return city
    }

    private static func integer(_ key: String, _ number: Int, _ reader: inout JSONReader) throws -> Int64 {
        guard try reader.next() == .number, let value = reader.int64 else { throw wrong(key, number, "an integer") }
        return value
    }

    private static func copyDouble(
        _ key: String, _ number: Int, from reader: inout JSONReader, to writer: inout JSONWriter
    ) throws -> Double {
        guard try reader.next() == .number, let value = reader.double else { throw wrong(key, number, "a number") }
        try writer.number(reader.string)
        return value
    }

    private static func copyText(
        _ key: String, _ number: Int, from reader: inout JSONReader, to writer: inout JSONWriter
    ) throws -> String {
        guard try reader.next() == .string else { throw wrong(key, number, "a text") }
        let text = reader.string
        try writer.string(text)
        return text
    }

    private static func wrong(_ key: String, _ number: Int, _ kind: String) -> BenchmarkError {
        BenchmarkError("The \(key) of city \(number) of the file is not \(kind).")
    }
}
