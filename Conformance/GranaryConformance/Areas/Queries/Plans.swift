import ConformanceKit
import ConformanceModels
import GranaryCore

var plansCases: [ConformanceCase] {
    indexPlansCases + relatedPlansCases + wholePlansCases
}

private var wholePlansCases: [ConformanceCase] {
    [
        ConformanceCase(
            "plans.no-scan", in: .plans, "what an index answers is not found by reading every record",
            requires: [.indexedQueries]
        ) {
            trial in
            try trial.open(SuiteSchema.shop)
            try trial.write { tx in
                try tx.insert((1...50).map { Genre(id: $0, label: "genre \($0)") })
                try tx.insert((1...500).map { Artist(id: $0, label: "artist \($0)", genre: Ref($0 % 50 + 1)) })
                try tx.insert((1...500).map { Album(id: $0, title: "album \($0)", artist: Ref($0)) })
            }
            try trial.read { snapshot in
                try expectNoFullScan(Artist.where { $0.id == 7 }, in: snapshot)
                try expectNoFullScan(Artist.where { $0.id.in([7, 9, 11]) }, in: snapshot)
                try expectNoFullScan(Artist.where { $0.label == "artist 7" }, in: snapshot)
                try expectNoFullScan(Artist.where { $0.label.hasPrefix("artist 77") }, in: snapshot)
                try expectNoFullScan(Artist.where { $0.label > "b" }.sorted(by: \.label), in: snapshot)
                try expectNoFullScan(Artist.where { $0.genre == Ref(3) }, in: snapshot)
                try expectNoFullScan(Artist.where { $0.label == "artist 7" || $0.genre == Ref(3) }, in: snapshot)
                try expectNoFullScan(Artist.sorted(by: \.label).limit(5), in: snapshot)
                try expectNoFullScan(Album.where { $0.artist.label == "artist 7" }, in: snapshot)
                try expectNoFullScan(Artist.where { $0.albums.contains { $0.id == 7 } }, in: snapshot)
            }
        },
        ConformanceCase(
            "plans.explain", in: .plans, "a plan names what is read and says when everything is",
            requires: [.indexedQueries]
        ) { trial in
            try Shop(trial).trial.read { snapshot in
                let scan = try Song.where { $0.score > 1 }.explain(in: snapshot)
                try expectEqual(scan.fullScans, ["Song"])
                try expectEqual(scan.steps.map(\.action), [.scan, .filter])
                let search = try Artist.where { $0.label == "Ada" }.explain(in: snapshot)
                try expectEqual(search.steps.first?.action, .search)
                try expectEqual(search.steps.first?.entity, "Artist")
                try expectEqual(search.steps.first?.index, "label")
                try expectEqual(search.steps.first?.terms, ["label = ?"])
                let sorted = try Song.sorted(by: \.score).limit(3).explain(in: snapshot)
                try expectEqual(sorted.steps.map(\.action), [.scan, .sort])
                try expectEqual(sorted.steps.last?.limit, 3)
                try expectEqual(sorted.steps.last?.terms, ["score"])
            }
        },
    ]
}
