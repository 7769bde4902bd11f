import Foundation
import PlacesClient
import PlacesService
import Testing

struct PageAnswer: Decodable {
    var places: [Place]
    var next: String?
}

struct NearAnswer: Decodable {
    var place: Place
    var kilometres: Double
}

struct ImportAnswer: Decodable {
    struct Problem: Decodable {
        var line: Int?
        var code: String
        var message: String
    }

    var inserted: Int
    var updated: Int
    var unchanged: Int
    var failed: Int
    var problems: [Problem]
}

struct ErrorAnswer: Decodable {
    struct Described: Decodable {
        var code: String?
        var message: String
        var attributes: [String]?
    }

    var error: Described
}

extension HTTPReply {
    /// The body, read as JSON, of an answer that must have a status.
    func read<Answer: Decodable>(
        _ type: Answer.Type, status expected: Int = 200, _ place: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        #expect(status == expected, "\(body)", sourceLocation: place)
        return try JSONDecoder().decode(type, from: Data(body.utf8))
    }
}

/// A place as a client sends it.
func placeBody(
    _ name: String, _ country: String = "FR", _ latitude: Double = 45, _ longitude: Double = 5,
    population: Int = 1_000, version: Int? = nil
) -> String {
    let version = version.map { ",\"version\":\($0)" } ?? ""
    return """
        {"name":"\(name)","country":"\(country)","latitude":\(latitude),"longitude":\(longitude),\
        "population":\(population)\(version)}
        """
}
