import Foundation
import GranaryFormats

/// Files of cities as geographical collections have them: nine attributes and a list of other names, in many scripts.
struct CityFiles {
    /// What is in the files, to check what was read of them.
    struct Content: Equatable {
        var cities = 0
        var population: Int64 = 0
        /// The bytes of all names and other texts that are values.
        var text = 0
    }

    let json: String
    let lines: String
    let csv: String
    private(set) var content = Content()
    /// Without the list of other names, which CSV does not have.
    private(set) var contentOfCSV = Content()

    private static let parts = [
        "San", "Port", "Mount", "North", "berg", "ville", "abad", "ston", "Élan", "Ōsaka", "Łódź", "Київ", "القاهرة",
        "北京", "กรุงเทพ",
    ]
    private static let zones = [
        "Europe/Andorra", "Australia/Melbourne", "America/Argentina/Buenos_Aires", "Asia/Tokyo",
    ]

    /// Writes the files into a folder.
    init(cities: Int, folder: String) throws {
        (json, lines, csv) = (folder + "/cities.json", folder + "/cities.jsonl", folder + "/cities.csv")
        var document = JSONWriter(try FileSink(json))
        var lineWriter = JSONWriter(try FileSink(lines), layout: .lines)
        var table = CSVWriter(try FileSink(csv))
        try table.row([
            "geonameid", "name", "latitude", "longitude", "countrycode", "population", "timezone", "admin1code",
        ])
        try document.beginObject()
        for id in 1...cities {
            var random = SplitMix(seed: UInt64(id))
            let city = City(id: 3_000_000 + id, &random)
            try document.key("\(city.id)")
            try city.write(to: &document)
            try city.write(to: &lineWriter)
            try table.row(city.fields)
            content.cities += 1
            content.population += Int64(city.population)
            content.text += city.texts.reduce(0) { $0 + $1.utf8.count } + city.others.reduce(0) { $0 + $1.utf8.count }
            contentOfCSV.text += city.texts.reduce(0) { $0 + $1.utf8.count }
        }
        contentOfCSV.cities = content.cities
        contentOfCSV.population = content.population
        try document.endObject()
        try document.finish()
        try lineWriter.finish()
        try table.finish()
    }

    struct City {
        let id: Int
        let latitude: Double
        let longitude: Double
        let population: Int
        /// The name, the country, the time zone, the region.
        let texts: [String]
        let others: [String]

        init(id: Int, _ random: inout SplitMix) {
            self.id = id
            latitude = Double(Int(random.next(below: 18_000_000)) - 9_000_000) / 100_000
            longitude = Double(Int(random.next(below: 36_000_000)) - 18_000_000) / 100_000
            population = 15_000 + Int(random.next(below: 1_000_000))
            texts = [
                City.name(&random), ["AD", "AU", "JP", "UA"][Int(random.next(below: 4))],
                CityFiles.zones[Int(random.next(below: 4))], "0\(random.next(below: 10))",
            ]
            others = (0..<random.next(below: 20)).map { _ in City.name(&random) }
        }

        private static func name(_ random: inout SplitMix) -> String {
            (0...random.next(below: 3)).map { _ in
                CityFiles.parts[Int(random.next(below: UInt64(CityFiles.parts.count)))]
            }
            .joined(separator: "-")
        }

        func write(to writer: inout JSONWriter) throws {
            try writer.beginObject()
            try writer.key("geonameid")
            try writer.integer(Int64(id))
            try writer.key("name")
            try writer.string(texts[0])
            try writer.key("latitude")
            try writer.double(latitude)
            try writer.key("longitude")
            try writer.double(longitude)
            try writer.key("countrycode")
            try writer.string(texts[1])
            try writer.key("population")
            try writer.integer(Int64(population))
            try writer.key("timezone")
            try writer.string(texts[2])
            try writer.key("admin1code")
            try writer.string(texts[3])
            try writer.key("alternatenames")
            try writer.beginArray()
            for other in others { try writer.string(other) }
            try writer.endArray()
            try writer.endObject()
        }

        var fields: [String?] {
            ["\(id)", texts[0], "\(latitude)", "\(longitude)", texts[1], "\(population)", texts[2], texts[3]]
        }
    }
}
