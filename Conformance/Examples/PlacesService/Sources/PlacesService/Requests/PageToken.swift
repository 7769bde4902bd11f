import Foundation
import Granary
import Hummingbird

/// Where a page ends, as a text that stands in an address without escapes: base64 of JSON, with the characters for URLs.
enum PageToken {
    static func text(of position: PagePosition) throws -> String {
        try JSONEncoder().encode(position).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Throws: The status 400 if the text is not a token. That it fits the query is for the query to find out.
    static func position(from text: String) throws -> PagePosition {
        let digits = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: digits + padding),
            let position = try? JSONDecoder().decode(PagePosition.self, from: data)
        else {
            throw HTTPError(.badRequest, message: "after must be the value of next of a page.")
        }
        return position
    }
}
