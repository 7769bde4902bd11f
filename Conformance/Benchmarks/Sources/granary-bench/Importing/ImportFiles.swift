import Foundation
import GranaryFormats

/// The files that `import` reads: cities, a line each, and as CSV.
struct ImportFiles {
    let cities: [ImportedCity]
    /// JSON lines.
    let lines: String
    /// The same, of which each tenth has more inhabitants.
    let changed: String
    let csv: String
    /// Releases with what is nested in them, as JSON lines.
    let nested: String
    let releases: [NestedRelease]
    let changedPopulation: Int

    /// Writes the files into a folder.
    ///
    /// - Parameters:
    ///   - count: How many cities are generated.
    ///   - file: A file whose cities are used, with everything that they have; nil to generate cities.
    init(cities count: Int, file: String?, folder: String) throws {
        (lines, changed, csv) = (folder + "/cities.jsonl", folder + "/changed.jsonl", folder + "/cities.csv")
        let later: [ImportedCity]
        if let file {
            cities = try GivenCities.copy(file, to: lines, isChanged: false)
            later = try GivenCities.copy(file, to: changed, isChanged: true)
        } else {
            cities = (1...count).map { ImportFiles.city(3_000_000 + $0) }
            later = cities.enumerated().map { number, city in
                var city = city
                if number % 10 == 0 { city.population += 1 }
                return city
            }
            try ImportFiles.write(cities, lines)
            try ImportFiles.write(later, changed)
        }
        try ImportFiles.writeTable(cities, csv)
        changedPopulation = later.reduce(0) { $0 + $1.population }
        nested = folder + "/releases.jsonl"
        // About as many records as there are cities.
        releases = (1...max(1, cities.count / 6)).map(NestedRelease.init)
        try NestedRelease.write(releases, nested)
    }

    private static func city(_ id: Int) -> ImportedCity {
        var random = SplitMix(seed: UInt64(id))
        let city = CityFiles.City(id: id, &random)
        return ImportedCity(
            geonameid: Int64(id), name: city.texts[0], latitude: city.latitude, longitude: city.longitude,
            countrycode: city.texts[1], population: city.population, timezone: city.texts[2], admin1code: city.texts[3])
    }

    private static func write(_ cities: [ImportedCity], _ path: String) throws {
        var writer = JSONWriter(try FileSink(path), layout: .lines)
        for city in cities {
            try writer.beginObject()
            try writer.key("geonameid")
            try writer.integer(city.geonameid)
            try writer.key("name")
            try writer.string(city.name)
            try writer.key("latitude")
            try writer.double(city.latitude)
            try writer.key("longitude")
            try writer.double(city.longitude)
            try writer.key("countrycode")
            try writer.string(city.countrycode)
            try writer.key("population")
            try writer.integer(Int64(city.population))
            try writer.key("timezone")
            try writer.string(city.timezone)
            try writer.key("admin1code")
            try writer.string(city.admin1code)
            try writer.endObject()
        }
        try writer.finish()
    }

    private static func writeTable(_ cities: [ImportedCity], _ path: String) throws {
        var table = CSVWriter(try FileSink(path))
        try table.row(ImportedCity.keys)
        for city in cities {
            try table.row([
                "\(city.geonameid)", city.name, "\(city.latitude)", "\(city.longitude)", city.countrycode,
                "\(city.population)", city.timezone, city.admin1code,
            ])
        }
        try table.finish()
    }
}
