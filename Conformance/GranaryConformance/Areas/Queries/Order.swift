import ConformanceKit
import GranaryCore

var orderCases: [ConformanceCase] {
    casesForEachType(.order, "by", "both directions, nils at their ends, ties by key", OrderCheck())
        + [
            ConformanceCase("order.none", in: .order, "without an order records come by key") { trial in
                var random = CaseRandom(seed: trial.seed)
                try trial.insertTwins((-20...20).shuffled(using: &random).map { Sample(id: $0, integer: -$0) })
                try trial.read {
                    try $0.expectTwins(Sample.all, Array(-20...20))
                    try $0.expectTwins(Sample.where { $0.integer > 5 }, Array(-20 ... -6))
                    try $0.expectTwins(Sample.where { $0.integer.in([3, -3, 9]) }, [-9, -3, 3])
                }
            },
            ConformanceCase("order.ties", in: .order, "ties are broken by key in the direction of the last term") {
                trial in
                try trial.insertTwins(
                    (1...6).map { Sample(id: $0, int8: Int8($0 % 2), integer: $0 <= 3 ? 1 : nil, text: "same") })
                try trial.read {
                    try $0.expectTwins(Sample.sorted(by: \.text), [1, 2, 3, 4, 5, 6])
                    try $0.expectTwins(Sample.sorted(by: \.text, .descending), [6, 5, 4, 3, 2, 1])
                    try $0.expectTwins(Sample.sorted(by: \.int8), [2, 4, 6, 1, 3, 5])
                    try $0.expectTwins(Sample.sorted(by: \.int8, .descending), [5, 3, 1, 6, 4, 2])
                    try $0.expectTwins(
                        Sample.sorted(by: \.int8, .descending).sorted(by: \.text), [1, 3, 5, 2, 4, 6])
                    try $0.expectTwins(
                        Sample.sorted(by: \.int8).sorted(by: \.text, .descending), [6, 4, 2, 5, 3, 1])
                    try $0.expectTwins(
                        Sample.sorted(by: \.integer, .descending).sorted(by: \.int8), [2, 1, 3, 4, 6, 5])
                }
            },
            ConformanceCase("order.key", in: .order, "a key orders too, alone and as one of several terms") { trial in
                try trial.insertTwins((1...6).map { Sample(id: $0, int8: Int8($0 % 3)) })
                try trial.read {
                    try $0.expectTwins(Sample.sorted(by: \.id, .descending), [6, 5, 4, 3, 2, 1])
                    try $0.expectTwins(Sample.sorted(by: \.int8).sorted(by: \.id, .descending), [6, 3, 4, 1, 5, 2])
                    try $0.expectTwins(Sample.sorted(by: \.id).sorted(by: \.int8, .descending), [1, 2, 3, 4, 5, 6])
                    try $0.expectTwins(Sample.sorted(by: \.int8, .descending).sorted(by: \.id), [2, 5, 1, 4, 3, 6])
                }
            },
            ConformanceCase("order.repeated", in: .order, "an attribute named twice orders by its first direction") {
                trial in
                try trial.insertTwins((1...4).map { Sample(id: $0, int8: Int8($0 % 2)) })
                try trial.read {
                    try $0.expectTwins(Sample.sorted(by: \.int8).sorted(by: \.int8, .descending), [4, 2, 3, 1])
                    try $0.expectTwins(Sample.sorted(by: \.int8, .descending).sorted(by: \.int8), [1, 3, 2, 4])
                }
            },
            ConformanceCase("order.compound-index", in: .order, "terms that an index of several attributes covers") {
                trial in
                var samples: [Sample] = []
                for integer in [nil, 1, 2] as [Int64?] {
                    for int8 in [nil, 1, 2] as [Int8?] {
                        for text in [nil, "a"] as [String?] {
                            samples.append(Sample(id: Int64(samples.count), int8: int8, integer: integer, text: text))
                        }
                    }
                }
                try trial.insertTwins(samples)
                try trial.read {
                    let up = Sample.sorted(by: \.integer).sorted(by: \.int8).sorted(by: \.text)
                    try $0.expectTwins(up, Array(0..<18))
                    let down = Sample.sorted(by: \.integer, .descending).sorted(by: \.int8, .descending)
                        .sorted(by: \.text, .descending)
                    try $0.expectTwins(down, (0..<18).reversed())
                    try $0.expectTwins(up.where { $0.integer == 1 }, Array(6..<12))
                    try $0.expectTwins(
                        Sample.where { $0.integer == 1 }.sorted(by: \.int8, .descending).sorted(
                            by: \.text, .descending),
                        (6..<12).reversed())
                    let mixed = Sample.sorted(by: \.integer).sorted(by: \.int8, .descending)
                    try $0.expectTwins(mixed.limit(7), [5, 4, 3, 2, 1, 0, 11])
                    try $0.expectTwins(
                        Sample.where { $0.integer >= 1 && $0.int8 == 2 }.sorted(by: \.text, .descending),
                        [17, 11, 16, 10])
                }
            },
            ConformanceCase(
                "order.long-texts", in: .order, "texts and data that share 600 bytes order by what follows"
            ) { trial in
                let stem = String(repeating: "s", count: 600)
                let ends = ["d", "", "a\0", "b", "a", "\0", "c", "aa", "\u{E9}", "e\u{301}"]
                let sorted: [Int64] = [1, 5, 4, 2, 7, 3, 6, 0, 9, 8]
                try trial.insertTwins(
                    ends.enumerated().map {
                        Sample(id: Int64($0), text: stem + $1, bytes: Array((stem + $1).utf8))
                    })
                try trial.read {
                    try $0.expectTwins(Sample.sorted(by: \.text), sorted)
                    try $0.expectTwins(Sample.sorted(by: \.text, .descending), sorted.reversed())
                    try $0.expectTwins(Sample.sorted(by: \.bytes), sorted)
                    try $0.expectTwins(Sample.sorted(by: \.bytes, .descending).limit(3).offset(1), [9, 0, 6])
                    try $0.expectTwins(
                        Sample.where { $0.text >= stem + "a" }.sorted(by: \.text).limit(4), [4, 2, 7, 3])
                    try $0.expectTwins(Sample.where { $0.text > stem + "a" && $0.text < stem + "c" }, [2, 3, 7])
                    try $0.expectTwins(Sample.where { $0.text == stem + "b" }, [3])
                    try $0.expectTwins(Sample.where { $0.text != stem + "b" }, [0, 1, 2, 4, 5, 6, 7, 8, 9])
                    try $0.expectTwins(Sample.where { $0.text.in([stem, stem + "c", stem + "x"]) }, [1, 6])
                    try $0.expectTwins(Sample.where { $0.text < stem }, [])
                }
            },
            ConformanceCase(
                "order.long-ties", in: .order, "long equal texts tie by key, and a later term orders among them"
            ) { trial in
                let long = String(repeating: "t", count: 1200)
                try trial.insertTwins(
                    (1...8).map { Sample(id: $0, int8: Int8(9 - $0), text: long + ($0 % 2 == 0 ? "a" : "b")) })
                try trial.read {
                    try $0.expectTwins(Sample.sorted(by: \.text), [2, 4, 6, 8, 1, 3, 5, 7])
                    try $0.expectTwins(Sample.sorted(by: \.text, .descending), [7, 5, 3, 1, 8, 6, 4, 2])
                    try $0.expectTwins(Sample.sorted(by: \.text).sorted(by: \.int8), [8, 6, 4, 2, 7, 5, 3, 1])
                }
            },
        ] + pagesCases + cursorCases
}
