import Granary
import HTTPTypes
import Hummingbird

/// What changes places. Each request is a write of its own. Requests that arrive while the disk is busy share the next
/// commit, so many clients are served by few syncs.
struct WritingRoutes {
    let stack: Stack

    func add(to router: Router<PlacesContext>) {
        router.post("places", use: insert)
        router.put("places/:id", use: replace)
        router.delete("places/:id", use: delete)
    }

    /// `POST /places`: a new place, with the next key of the store.
    private func insert(_ request: Request, _ context: PlacesContext) async throws -> EditedResponse<Place> {
        let body = try await request.decode(as: PlaceBody.self, context: context)
        let place = try await stack.write(as: "places.insert") { try $0.insert(body.place()) }
        return EditedResponse(status: .created, headers: [.location: "/places/\(place.id)"], response: place)
    }

    /// `PUT /places/:id`: replaces the place with this key, or makes it. With a `version` it only replaces the place, and
    /// answers 409 if the place has another version.
    private func replace(_ request: Request, _ context: PlacesContext) async throws -> EditedResponse<Place> {
        let id = try context.placeID
        let body = try await request.decode(as: PlaceBody.self, context: context)
        let (place, isNew) = try await stack.write(as: "places.replace") { tx in
            let old = try tx.find(Place.self, id)
            if old == nil && body.version != nil { throw noPlace(id) }
            var place = body.place(id: id)
            // Granary compares the version with that of the stored place, and raises it.
            place.version = body.version ?? old?.version ?? 0
            return (try tx.upsert(place), old == nil)
        }
        return EditedResponse(status: isNew ? .created : .ok, response: place)
    }

    /// `DELETE /places/:id`
    private func delete(_ request: Request, _ context: PlacesContext) async throws -> HTTPResponse.Status {
        let id = try context.placeID
        guard try await stack.write(as: "places.delete", { try $0.delete(Place.self, id) }) else { throw noPlace(id) }
        return .noContent
    }
}
