import Foundation

/// A point on the earth, in degrees.
struct Point: Sendable {
    var latitude: Double
    var longitude: Double

    /// The mean radius of the earth, in kilometres.
    private static let radius = 6_371.0
    /// Kilometres from one degree of latitude to the next.
    static let kilometresPerDegree = radius * .pi / 180

    /// The distance to another point along the surface, in kilometres, by the haversine formula.
    func distance(to other: Point) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let (south, east) = (
            sin(radians(other.latitude - latitude) / 2), sin(radians(other.longitude - longitude) / 2)
        )
        let part = south * south + cos(radians(latitude)) * cos(radians(other.latitude)) * east * east
        return 2 * Self.radius * asin(min(1, part.squareRoot()))
    }

    /// How many degrees of longitude contain all points within a distance; nil if every longitude may.
    func degreesOfLongitude(within kilometres: Double) -> Double? {
        let degrees = kilometres / Self.kilometresPerDegree
        // Near a pole, a small circle crosses every longitude.
        guard abs(latitude) + degrees < 89 else { return nil }
        let narrowest = cos((abs(latitude) + degrees) * .pi / 180)
        return min(180, degrees / narrowest)
    }
}

extension Place {
    var point: Point { Point(latitude: latitude, longitude: longitude) }
}
