import Foundation
import Granary
import Testing

struct ExportingTests {
    @Test(arguments: Kind.allCases)
    func `an export of venues is imported again`(_ kind: Kind) async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "venues.jsonl.gz").path
            let nested = try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
                _ = try await importVenues(stack)
                #expect(try await exportVenues(stack, to: path) == 2)
                #expect(try await stack.read { try exportNowhere(in: $0) } == 2)
                let concerts = try await stack.read { try concertsAsCSV(in: $0) }
                #expect(String(decoding: concerts, as: UTF8.self) == "id,title,venue,price\r\n10,Sunday,1,9.5\r\n")
                let catalogue = try await exportCatalogue(stack)
                #expect(
                    String(decoding: catalogue, as: UTF8.self) == """
                        {"data":{"venues":[{"id":1,"names":{"official":"Village Vanguard"},"opened":"1935-02-22"},\
                        {"id":2,"names":{"official":"Birdland"},"opened":null}]}}

                        """)
                let keyed = String(decoding: try await exportByKey(stack), as: UTF8.self)
                #expect(keyed.hasPrefix(#"{"1":{"venue_name":"Village Vanguard","#), "\(keyed)")
                #expect(keyed.contains(#""concerts":{"10":{"title":"Sunday","price":9.5}}"#), "\(keyed)")
                return try await exportWithConcerts(stack)
            }
            try await withStack(kind, Schema(Venue.self, Concert.self)) { stack in
                #expect(try await stack.import(URL(filePath: path), as: Venue.self).inserted == 2)
                let report = try await stack.import(.json(.bytes(nested)), as: Venue.self)
                #expect(report.inserted == 1 && report.unchanged == 2 && report.issues.isEmpty)
                #expect(try await stack.read { try $0.find(Concert.self, 10)?.venue.key } == 1)
            }
        }
    }
}
