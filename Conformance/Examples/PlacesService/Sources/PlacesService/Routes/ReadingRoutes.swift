import Granary
import Hummingbird

/// What asks for places. Each read has a name of its own, by which logs and metrics tell it.
struct ReadingRoutes {
    let stack: Stack

    func add(to router: Router<PlacesContext>) {
        router.get("places", use: list)
        router.get("places/:id", use: find)
        router.get("nearest", use: nearest)
    }

    /// `GET /places?name=&country=&limit=&after=`: the largest places first, page after page.
    private func list(_ request: Request, _ context: PlacesContext) async throws -> PlacePage {
        let (name, country) = (request.query("name"), request.query("country"))
        let limit = try request.query("limit", in: 1...100) ?? 20
        let after = try request.query("after").map(PageToken.position)
        let page = try await stack.read(as: "places.list") { snapshot in
            let places = Place.where {
                // A condition that is left out is true of every place.
                if let country { $0.country == country }
                if let name { $0.search(SearchText(fromUser: name)) }
            }
            return try places.sorted(by: \.population, .descending).page(in: snapshot, after: after, size: limit)
        }
        let next = page.hasMore ? try page.end.map(PageToken.text) : nil
        return PlacePage(places: page.records, next: next)
    }

    /// `GET /places/:id`
    private func find(_ request: Request, _ context: PlacesContext) async throws -> Place {
        let id = try context.placeID
        guard let place = try await stack.read(as: "places.find", { try $0.find(Place.self, id) }) else {
            throw noPlace(id)
        }
        return place
    }

    /// `GET /nearest?latitude=&longitude=&within=&limit=`: the nearest places first, `within` kilometres.
    private func nearest(_ request: Request, _ context: PlacesContext) async throws -> [NearPlace] {
        guard let latitude = try request.query("latitude", in: -90.0...90.0),
            let longitude = try request.query("longitude", in: -180.0...180.0)
        else {
            throw HTTPError(.badRequest, message: "Give latitude and longitude.")
        }
        let within = try request.query("within", in: 0.0...500.0) ?? 50
        let limit = try request.query("limit", in: 1...100) ?? 20
        let centre = Point(latitude: latitude, longitude: longitude)
        let places = try await stack.read(as: "places.nearest") { try Place.around(centre, within).fetch(in: $0) }
        let near = places.map { NearPlace(place: $0, kilometres: centre.distance(to: $0.point)) }
            .filter { $0.kilometres <= within }
        return Array(near.sorted { $0.kilometres < $1.kilometres }.prefix(limit))
    }
}

func noPlace(_ id: Int64) -> HTTPError { HTTPError(.notFound, message: "No place has the id \(id).") }

struct PlacePage: ResponseEncodable {
    var places: [Place]
    /// The value of `after` for the next page; absent on the last page.
    var next: String?
}

struct NearPlace: ResponseEncodable {
    var place: Place
    var kilometres: Double
}

extension Place: ResponseEncodable {}

extension Place {
    /// The places in the smallest box of latitudes and longitudes that has all places within a distance of a point.
    /// The index of the latitudes finds them.
    static func around(_ centre: Point, _ kilometres: Double) -> Query<Place> {
        let north = kilometres / Point.kilometresPerDegree
        let east = centre.degreesOfLongitude(within: kilometres)
        return Place.where {
            $0.latitude.between(centre.latitude - north, centre.latitude + north)
            if let east {
                // The shorter way around the earth: 179 and -179 are 2 degrees apart.
                180 - (($0.longitude - centre.longitude).absoluteValue - 180).absoluteValue <= east
            }
        }
    }
}
