import GranaryCore
import Testing

@testable import ConformanceKit
@testable import ConformanceModels

@Suite struct ProgramTests {
    @Test func `the same seed makes the same program, another seed another`() {
        let first = Program.random(seed: 7, steps: 60).swift
        #expect(first == Program.random(seed: 7, steps: 60).swift)
        #expect(first != Program.random(seed: 8, steps: 60).swift)
    }

    @Test func `a program is printed as Swift`() {
        let query = ProgramQuery(
            entity: 1,
            condition: .not(.all([.compare("age", .less, .integer(3)), .among("rating", [.null, .real(0.5)])])),
            order: [Ordering(attribute: "lastName", direction: .descending)], limit: 2, offset: 1)
        let program = Program(steps: [
            .beginSavepoint, .insert(0, [.integer(1), .string("a\0")]), .rollbackSavepoint, .fetch(query), .commit,
            .updateAll(query, [("isActive", .integer(1))]), .rollback,
        ])
        #expect(
            program.swift == #"""
                try? stack.blocking.write { tx in
                    try? tx.savepoint {
                        _ = try? tx.insert(Shelf(id: 1, name: "a\0"))
                        throw CancellationError()
                    }
                    _ = try tx.fetch(Person.where { !(($0.age < 3 && $0.rating.in([nil, 0.5]))) }.sorted(by: \.lastName, .descending).limit(2).offset(1))
                }
                try? stack.blocking.write { tx in
                    _ = try? Person.where { !(($0.age < 3 && $0.rating.in([nil, 0.5]))) }.sorted(by: \.lastName, .descending).limit(2).offset(1).updateAll(in: tx) { $0.set(\.isActive, to: true) }
                    throw CancellationError()
                }
                """#)
    }

    @Test func `a failing program is shrunk to the steps that make it fail`() {
        // Fails once a shelf has been inserted and later a person deleted.
        func run(_ program: Program) throws {
            var hasInserted = false
            for (number, step) in program.steps.enumerated() {
                if case .insert(0, _) = step { hasInserted = true }
                if case .delete(1, _) = step, hasInserted {
                    throw ProgramFailure(steps: number + 1, message: "there")
                }
            }
        }
        let program = Program.random(seed: 3, steps: 500)
        guard let failure = program.failure(run) else { return #expect(Bool(false), "the program does not fail") }
        let (shortest, cause) = program.shrunk(from: failure, run)
        #expect(shortest.steps.count == 2)
        #expect(cause.message == "there")
    }
}
