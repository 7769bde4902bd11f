import Foundation
import GranaryFormats

/// What `reading` times: all of a file, every value looked at.
enum ReadingWorkload: String, CaseIterable {
    /// One object: number to city.
    case json
    /// A city a line.
    case lines = "json-lines"
    case csv

    func file(_ files: CityFiles) -> String {
        switch self {
        case .json: files.json
        case .lines: files.lines
        case .csv: files.csv
        }
    }

    func expected(_ files: CityFiles) -> CityFiles.Content { self == .csv ? files.contentOfCSV : files.content }

    func read(_ path: String) throws -> CityFiles.Content {
        switch self {
        case .json: try ReadingWorkload.events(path, .document)
        case .lines: try ReadingWorkload.events(path, .lines)
        case .csv: try ReadingWorkload.rows(path)
        }
    }

    /// The same by Foundation; nil where Foundation has nothing.
    func readByFoundation(_ path: String) throws -> CityFiles.Content? {
        var content = CityFiles.Content()
        func count(_ city: Any) throws {
            guard let city = city as? [String: Any], let population = city["population"] as? Int64 else {
                throw BenchmarkError("A city is not what was written.")
            }
            content.cities += 1
            content.population += population
        }
        switch self {
        case .json:
            let all = try JSONSerialization.jsonObject(with: try Data(contentsOf: URL(fileURLWithPath: path)))
            guard let all = all as? [String: Any] else { throw BenchmarkError("The cities are not an object.") }
            for city in all.values { try count(city) }
        case .lines:
            for line in try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A) {
                try count(try JSONSerialization.jsonObject(with: line))
            }
        case .csv: return nil
        }
        return content
    }

    private static func events(_ path: String, _ layout: JSONOptions.Layout) throws -> CityFiles.Content {
        var content = CityFiles.Content()
        var reader = try JSONReader(.file(path), JSONOptions(layout: layout))
        // The depth of a city's members.
        let depth = layout == .lines ? 1 : 2
        var keys = KeyMatcher([
            "geonameid", "name", "latitude", "longitude", "countrycode", "population", "timezone", "admin1code",
            "alternatenames",
        ])
        var key: Int?
        var sum = 0.0
        while try reader.nextDocument() {
            reading: while true {
                switch try reader.next() {
                case .key where reader.depth == depth: key = keys.index(of: reader.text)
                case .string: content.text += reader.text.count
                case .number where key == 5: content.population += reader.int64 ?? 0
                case .number: sum += reader.double ?? 0
                case .beginObject where reader.depth == depth: content.cities += 1
                case .end: break reading
                default: break
                }
            }
        }
        guard sum.isFinite else { throw BenchmarkError("A number is not finite.") }
        return content
    }

    private static func rows(_ path: String) throws -> CityFiles.Content {
        var content = CityFiles.Content()
        var reader = try CSVReader(.file(path))
        while try reader.nextRow() {
            content.cities += 1
            for column in [1, 4, 6, 7] { content.text += reader.field(column).count }
            var population: Int64 = 0
            for digit in reader.field(5) { population = population &* 10 &+ Int64(digit &- UInt8(ascii: "0")) }
            content.population += population
        }
        return content
    }
}
