import Foundation
import Granary

/// A service writes the code of a venue into its name, as in `Birdland (bi)`, and names concerts by their numbers.
let listed = ImportMapping()
    .takeOver(from: "name") { value, _ in
        guard case .string(let text) = value, text.hasSuffix(")"), let start = text.firstIndex(of: "(") else {
            return nil
        }
        let name = text[..<start].trimmingCharacters(in: .whitespaces)
        return ["name": .string(name), "code": .string(String(text[start...].dropFirst().dropLast()))]
    }
    .connect("concerts", ["program.number": "id"])

/// Tells how many concerts each venue has once they are imported.
func countingConcerts(_ tell: @escaping @Sendable (String, Int) -> Void) -> Importer {
    var importer = Importer()
    importer.mapping = ImportMapping().didRelate("concerts") { relationship, tx in
        guard let venue = try tx.find(relationship.owner(Venue.self)) else { return }
        tell(venue.name, try venue.concerts.all.count(in: tx))
    }
    return importer
}
