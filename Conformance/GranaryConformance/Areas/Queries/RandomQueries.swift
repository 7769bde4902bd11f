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
            "differential.thousands", in: .differential,
            "20 000 random queries over random contents answer as the reference does, with indexes and without",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            var differential = Differential(trial)
            for number in 0..<100 {
                try differential.run(seed: trial.seed &* 10_007 &+ 1000 &+ UInt64(number), queries: 100)
            }
        }
    ]
}
