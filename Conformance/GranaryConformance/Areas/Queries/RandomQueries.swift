import ConformanceKit
import ConformanceModels
import GranaryCore

var differentialCases: [ConformanceCase] {
    (1...4).map { number in
        ConformanceCase(
            "differential.random-\(number)", in: .differential,
            "200 random queries over random contents answer as the reference does, with indexes and without",
            modes: [.fresh]
        ) { trial in
            var differential = Differential(trial)
            try differential.run(seed: trial.seed &* 10_007 &+ UInt64(number), queries: 100)
        }
    } + [
        ConformanceCase(
            "differential.pending", in: .differential,
            "random queries over random contents with pending changes answer as the reference does with the changes made",
            modes: [.fresh]
        ) { trial in
            var differential = Differential(trial)
            for (number, changes) in [1, 2, 5, 12, 40].enumerated() {
                try differential.run(
                    seed: trial.seed &* 10_007 &+ 500 &+ UInt64(number), queries: 60, pending: changes)
            }
        },
        ConformanceCase(
            "differential.pending-thousands", in: .differential,
            "12 000 random queries over random contents with pending changes answer as the reference does",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            var differential = Differential(trial)
            for number in 0..<60 {
                try differential.run(
                    seed: trial.seed &* 10_007 &+ 2000 &+ UInt64(number), queries: 100, pending: 1 + number % 20)
            }
        },
        ConformanceCase(
            "differential.thousands", in: .differential,
            "20 000 random queries over random contents answer as the reference does, with indexes and without",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            var differential = Differential(trial)
            for number in 0..<100 {
                try differential.run(seed: trial.seed &* 10_007 &+ 1000 &+ UInt64(number), queries: 100)
            }
        },
    ]
}
