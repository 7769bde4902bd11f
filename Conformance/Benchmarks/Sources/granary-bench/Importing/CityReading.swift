import GranaryFormats

/// What `import` times without a store: reading the lines of all cities.
enum CityReading: String, CaseIterable {
    /// As events, with every number converted and every key found in a list.
    case events
    /// Into records, each made from the events of its line.
    case records
    /// By `JSONSerialization`, a line at a time.
    case serialization = "json-serialization"

    func read(_ path: String) throws -> ImportedContent {
        switch self {
        case .events: return ImportedContent(try ReadingWorkload.lines.read(path))
        case .records:
            let cities = try CityReading.records(path)
            return ImportedContent(count: cities.count, sum: cities.reduce(0) { $0 + $1.population })
        case .serialization:
            return ImportedContent(try ReadingWorkload.lines.readByFoundation(path) ?? CityFiles.Content())
        }
    }

    private static func records(_ path: String) throws -> [ImportedCity] {
        var cities: [ImportedCity] = []
        var reader = try JSONReader(.file(path), JSONOptions(layout: .lines))
        var keys = KeyMatcher(ImportedCity.keys)
        while try reader.nextDocument() {
            guard try reader.next() == .beginObject else { throw BenchmarkError("A line is not a city.") }
            var city = ImportedCity.empty
            while try reader.next() == .key {
                guard let key = keys.index(of: reader.text) else {
                    try reader.skip()
                    continue
                }
                _ = try reader.next()
                switch key {
                case 0: city.geonameid = reader.int64 ?? 0
                case 1: city.name = reader.string
                case 2: city.latitude = reader.double ?? 0
                case 3: city.longitude = reader.double ?? 0
                case 4: city.countrycode = reader.string
                case 5: city.population = reader.int64.map { Int($0) } ?? 0
                case 6: city.timezone = reader.string
                default: city.admin1code = reader.string
                }
            }
            while try reader.next() != .end {}
            cities.append(city)
        }
        return cities
    }
}

extension ImportedContent {
    fileprivate init(_ content: CityFiles.Content) {
        self.init(count: content.cities, sum: Int(content.population))
    }
}
