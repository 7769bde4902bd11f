import GranaryCore

let recordsCases: [ConformanceCase] = [
    ConformanceCase("records.insert-find", in: .records, "an inserted record is found by its key, whole") { trial in
        let shelf = Shelf(id: 7, name: "Left")
        try trial.write { try $0.insert(shelf) }
        try expectEqual(try trial.find(Shelf.self, 7), shelf)
        try expectEqual(try trial.find(Shelf.self, 8), nil)
    }
]
