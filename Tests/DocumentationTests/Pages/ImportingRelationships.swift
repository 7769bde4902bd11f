import Granary

/// Gigs without keys: known by their band, which each has only once.
let gigsByBand = ImportMapping()
    .identify { value, _ in
        guard case .string(let name)? = value["bandName"] else { return nil }
        return Gig.where { $0.band.name == name }.untyped
    }
    .map("band.name", from: "bandName")
    .relate("band", .replaceAndDelete, updatesRelated: true)

/// A concert may come before the band that it names: in another file, on another day.
@Record struct Gig {
    @Key var id: Int64
    var band: Ref<Performer>?
}

@Record struct Performer {
    @Key var id: Int64
    @Unique var name: String
}

extension Gig: ImportMapped {
    static let importMapping = ImportMapping().relate("band", by: "name", missing: .keep)
}

let gigs = Schema(Gig.self, Performer.self, PendingReference<Gig>.self)

/// The names of bands that no import has brought.
func missingBands(in snapshot: Snapshot) throws -> [StoredValue?] {
    try snapshot.fetch(PendingReference<Gig>.where { $0.relationship == "band" }).map { $0.names["name"] }
}
