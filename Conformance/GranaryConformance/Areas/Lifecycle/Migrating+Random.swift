import ConformanceKit
import GranaryCore

// Random schemas with random records get random changes. A naive model of records, dictionaries by names, is changed by rules of
// its own, and says what the store must hold then, or that the change must fail.

var randomMigrationCases: [ConformanceCase] {
    [
        ConformanceCase(
            "migration.random", in: .migration, "random changes to random records give what a naive model gives",
            requires: needed, modes: [.fresh]
        ) { trial in
            for round in 0..<40 {
                var model = MigrationModel(seed: trial.seed &+ UInt64(round))
                let path = trial.folder + "/Random-\(round).granary"
                let first = try trial.subject.open(model.schema, at: path)
                try first.blocking.write { try model.write($0) }
                try model.check(first)
                try first.blocking.close()
                for step in 0..<5 {
                    let before = model
                    let plan = model.change(named: "step \(step)")
                    let schema = model.schema
                    do {
                        try schema.validate()
                    } catch {
                        model = before.afterFailure(model)
                        continue
                    }
                    var error: GranaryError?
                    do {
                        let stack = try trial.subject.open(schema, at: path, migration: .plan(plan))
                        defer { try? stack.blocking.close() }
                        try expect(!model.mustFail, "seed \(trial.seed), round \(round): \(model.changes) must fail")
                        try model.check(stack)
                    } catch let failure as GranaryError {
                        error = failure
                    }
                    guard let error else { continue }
                    try expect(model.mustFail, "seed \(trial.seed), round \(round): \(model.changes): \(error)")
                    model = before.afterFailure(model)
                    let stack = try trial.subject.open(before.schema, at: path, migration: .refuse)
                    try before.check(stack)
                    try stack.blocking.close()
                }
            }
        }
    ]
}
