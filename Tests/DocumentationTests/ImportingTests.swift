import Foundation
import Granary
import Testing

struct ImportingTests {
    @Test(arguments: Kind.allCases)
    func `venues are imported with their concerts, and again without a write`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            let report = try await importVenues(stack)
            #expect(report.inserted == 3)
            #expect(report.issues.isEmpty)
            #expect(try await importVenues(stack).unchanged == 3)
            let names = try await stack.write { try importVenues(in: $0).map(\.name) }
            #expect(names == ["Village Vanguard", "Birdland"])
            let price = try await stack.read { try $0.find(Concert.self, 10)?.price }
            #expect(price == Decimal(string: "9.5"))
        }
    }

    @Test(arguments: Kind.allCases)
    func `an object without a key is imported into a venue`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            _ = try await importVenues(stack)
            let imported = try await stack.write { tx -> Venue? in
                guard let venue = try tx.find(Venue.self, 2) else { return nil }
                return try importVenue(["name": "Birdland 52"], into: venue, in: tx)
            }
            #expect(imported?.id == 2 && imported?.name == "Birdland 52")
            #expect(try await stack.read { try $0.count(Venue.all) } == 2)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a mirrored source is what the store has`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            _ = try await importVenues(stack)
            let source: ImportValue = [
                [
                    "id": 1, "venue_name": " Vanguard ", "opened": "22.02.1935", "code": "vv",
                    "concerts": [["id": 11, "headline": "Monday"]], "debug": 1,
                ]
            ]
            let report = try await stack.write { try mirrorVenues(in: $0, source) }
            #expect(report.issues.isEmpty)
            #expect(report.unknownKeys.isEmpty)
            #expect(report.deletedKeys == [.integer(2)])
            let (venues, concerts) = try await stack.read { (try $0.fetch(Venue.all), try $0.fetch(Concert.all)) }
            #expect(venues.map(\.name) == ["Vanguard"])
            #expect(venues.map(\.code) == ["VV"])
            #expect(concerts.map(\.title) == ["Monday"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `values are converted to the types of the attributes`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            _ = try await importVenues(stack)
            #expect(try await stack.import(convertedConcert, as: Concert.self).issues.isEmpty)
            let concert = try #require(try await stack.read { try $0.find(Concert.self, 7) })
            #expect(concert.title == "1984" && concert.venue.key == 1 && concert.price == 100)
        }
    }

    @Test(arguments: Kind.allCases)
    func `null leaves a date as it is where the mapping says so`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            _ = try await importVenues(stack)
            let source: ImportValue = [["id": 1, "opened": nil]]
            var importer = Importer()
            importer.mapping = keepingDates
            #expect(try await stack.import(source, as: Venue.self, with: importer).unchanged == 1)
            #expect(try await stack.import(source, as: Venue.self).updated == 1)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a gig waits in the store for its band`(_ kind: Kind) async throws {
        try await withStack(kind, gigs) { stack in
            let report = try await stack.import([["id": 1, "band": "Can"]] as ImportValue, as: Gig.self)
            #expect(report.issues.isEmpty)
            #expect(try await stack.read { try missingBands(in: $0) } == [.string("Can")])
            try await stack.import([["id": 7, "name": "Can"]] as ImportValue, as: Performer.self)
            #expect(try await stack.read { try $0.find(Gig.self, 1)?.band } == Ref(7))
            #expect(try await stack.read { try missingBands(in: $0) }.isEmpty)
        }
    }

    @Test(arguments: Kind.allCases)
    func `code is told of the concerts of each venue`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            let (told, tell) = AsyncStream<String>.makeStream()
            let importer = countingConcerts { tell.yield("\($0) \($1)") }
            try await stack.import(venues, as: Venue.self, with: importer)
            tell.finish()
            #expect(await told.reduce(into: []) { $0.append($1) } == ["Village Vanguard 1"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a name has its code taken out, and concerts are connected by their numbers`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            _ = try await importVenues(stack)
            let source: ImportValue = [["id": 2, "name": "Birdland (bi)", "program": [["number": 10]]]]
            var importer = Importer()
            importer.mapping = listed
            #expect(try await stack.import(source, as: Venue.self, with: importer).issues.isEmpty)
            let venue = try #require(try await stack.read { try $0.find(Venue.self, 2) })
            #expect(venue.name == "Birdland" && venue.code == "bi")
            #expect(try await stack.read { try $0.find(Concert.self, 10)?.venue } == Ref(2))
        }
    }

    @Test(arguments: Kind.allCases)
    func `an import in parts saves where the next one begins`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
            var start = 0
            let source = (1...10_001).map { ["id": .integer($0), "name": "x"] as ImportValue }
            await #expect(throws: GranaryError.self) {
                try await importInParts(source + [["name": "no key"]], stack, from: 0) { start = $0 }
            }
            #expect(start == 10_000)
            try await importInParts(source, stack, from: start) { start = $0 }
            #expect(start == 10_001)
            #expect(try await stack.read { try $0.count(Venue.all) } == 10_001)
        }
    }
}
