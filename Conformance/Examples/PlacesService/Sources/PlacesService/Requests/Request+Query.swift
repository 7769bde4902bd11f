import Hummingbird

extension Request {
    /// The value of `name=` in the query of the address; nil if it is absent or empty.
    func query(_ name: String) -> String? {
        guard let text = uri.queryParameters.get(name), !text.isEmpty else { return nil }
        return text
    }

    /// The value of `name=` as a number.
    ///
    /// - Throws: The status 400 if it is not a number of the range.
    func query<Number>(_ name: String, in range: ClosedRange<Number>) throws -> Number?
    where Number: LosslessStringConvertible {
        guard let text = query(name) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw HTTPError(
                .badRequest, message: "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

extension PlacesContext {
    /// The key in the path.
    ///
    /// - Throws: The status 400 if it cannot be a key: the store assigns keys from 1 on.
    var placeID: Int64 {
        get throws {
            guard let id = parameters.get("id", as: Int64.self), id >= 1 else {
                throw HTTPError(.badRequest, message: "The id of a place is a number from 1 on.")
            }
            return id
        }
    }
}
