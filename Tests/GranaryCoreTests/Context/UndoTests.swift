import GranaryMemory
import TestSupport
import Testing

@testable import GranaryCore

struct UndoTests {
    private static let schema = WrittenSchema.schema
    private typealias Shown = [[StoredValue: [StoredValue]]]

    private func makeContext(isUndoEnabled: Bool = true) throws -> EditContext {
        let stack = try Stack(Self.schema, store: .inMemory)
        let context = try EditContext(StackReference(holding: stack), parent: nil, named: nil)
        context.isUndoEnabled = isUndoEnabled
        return context
    }

    private func shown(_ context: EditContext) throws -> Shown {
        try Self.schema.entities.indices.map { entity in
            let keys = entity == WrittenSchema.box ? WrittenProgramMaker.boxKeys : WrittenProgramMaker.integerKeys
            return try keys.reduce(into: [:]) {
                $0[$1] = try context.overlay.record($1, of: entity, Self.schema)
            }
        }
    }

    /// Writes to the store past the context.
    private func write(_ context: EditContext, _ statements: WrittenStatement...) throws {
        try context.stack.blocking.write { transaction in
            for statement in statements { try transaction.writer.run(statement) { _ in } }
        }
    }

    /// Moves what is pending into the store, as a save does.
    private func save(_ context: EditContext) throws {
        let pending = context.overlay.pending
        try context.stack.blocking.write { transaction in
            try transaction.deferringReferences {
                for entity in pending.entities {
                    for (key, change) in pending.changes(of: entity) where change.current == nil {
                        try transaction.delete(key, from: entity)
                    }
                    for (_, change) in pending.changes(of: entity) {
                        guard let current = change.current else { continue }
                        try transaction.upsert(current.values, into: entity)
                    }
                }
            }
        }
        context.overlay.replace(PendingChanges(Self.schema))
    }

    @Test(arguments: (1...75).map(TestSeed.of))
    func `what is undone to the start and redone to the end is the same, state by state`(seed: UInt64) throws {
        var maker = WrittenProgramMaker(seed: seed)
        let context = try makeContext()
        try write(context, .savepoint(maker.program(20), isKept: true))
        var states = [try shown(context)]
        for (number, step) in maker.program(40).enumerated() {
            let isGroup = number % 7 == 3
            if isGroup { context.beginUndoGroup() }
            try context.overlay.run(step) { _ in }
            if isGroup {
                try context.overlay.run(step) { _ in }
                try context.endUndoGroup()
            }
            let now = try shown(context)
            // A part whose calls are calls of their own may come to nothing in the end, and each be undone.
            if now != states.last { states.append(now) }
        }
        let steps = context.overlay.undoHistory?.undos.count
        #expect(steps == states.count - 1, "seed \(seed)")
        for round in 1...2 {
            for state in states.dropLast().reversed() {
                #expect(try context.undo(), "seed \(seed), round \(round)")
                #expect(try shown(context) == state, "seed \(seed), round \(round)")
            }
            #expect(!context.canUndo && context.overlay.pending.isEmpty)
            for state in states.dropFirst() {
                #expect(try context.redo(), "seed \(seed), round \(round)")
                #expect(try shown(context) == state, "seed \(seed), round \(round)")
            }
            #expect(!context.canRedo)
        }
    }

    @Test func `each outermost call is undone by itself, a group and a savepoint together`() throws {
        let context = try makeContext()
        #expect(try !context.undo() && !context.redo())
        try context.insert([1, "a"], into: WrittenSchema.shelf)
        try context.withUndoGroup(named: "Two") {
            try context.insert([2, "b"], into: WrittenSchema.shelf)
            try context.withUndoGroup(named: "inner") { _ = try context.update([1, "z"], in: WrittenSchema.shelf) }
        }
        try context.savepoint {
            try context.withUndoGroup(named: "Three") { try context.insert([3, "c"], into: WrittenSchema.shelf) }
            try context.insert([4, "d"], into: WrittenSchema.shelf)
        }
        #expect(context.undoName == "Three" && context.redoName == nil)
        #expect(try context.undo())
        #expect(try shown(context)[0] == [1: [1, "z"], 2: [2, "b"]])
        #expect(context.undoName == "Two" && context.redoName == "Three")
        #expect(try context.undo())
        #expect(try shown(context)[0] == [1: [1, "a"]])
        #expect(context.undoName == nil && context.canUndo && context.redoName == "Two")
        try context.insert([5, "e"], into: WrittenSchema.shelf)
        #expect(!context.canRedo)
        #expect(try context.undo() && context.undo() && !context.undo())
        #expect(context.overlay.pending.isEmpty)
    }

    @Test func `what a savepoint took back, and what changed nothing, is not undone`() throws {
        let context = try makeContext()
        try context.insert([1, "a"], into: WrittenSchema.shelf)
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try context.savepoint {
                try context.withUndoGroup(named: "gone") { try context.insert([2, "b"], into: WrittenSchema.shelf) }
                throw Undone()
            }
        }
        _ = try context.update([1, "a"], in: WrittenSchema.shelf)
        try context.withUndoGroup(named: "nothing") {
            try context.insert([3, "c"], into: WrittenSchema.shelf)
            try context.delete(3, from: WrittenSchema.shelf)
        }
        #expect(context.undoName == nil)
        #expect(try context.undo())
        #expect(try shown(context)[0] == [:] && !context.canUndo)
    }

    @Test func `undo after a save makes changes that can be saved`() throws {
        let context = try makeContext()
        try write(context, .insert(WrittenSchema.shelf, [1, "a"]), .insert(WrittenSchema.shelf, [2, "b"]))
        try context.withUndoGroup {
            _ = try context.update([1, "z"], in: WrittenSchema.shelf)
            try context.delete(2, from: WrittenSchema.shelf)
            try context.insert([3, "c"], into: WrittenSchema.shelf)
        }
        try save(context)
        #expect(context.overlay.pending.isEmpty)
        try context.undo()
        #expect(context.overlay.pending.count == 3)
        try save(context)
        #expect(try shown(context)[0] == [1: [1, "a"], 2: [2, "b"]])
        try context.redo()
        try save(context)
        #expect(try shown(context)[0] == [1: [1, "z"], 3: [3, "c"]])
    }

    @Test func `undo keeps what others made of other attributes`() throws {
        let context = try makeContext()
        try write(context, .insert(WrittenSchema.person, [1, "a", "x", 1, "n"]))
        _ = try context.update([1, "b", "x", 1, "n"], in: WrittenSchema.person)
        try save(context)
        try write(context, .update(WrittenSchema.person, [1, "b", "y", 1, "n"]))
        try context.undo()
        #expect(try shown(context)[WrittenSchema.person][1] == [1, "a", "y", 1, "n"])
    }

    @Test func `undo that would break a rule throws, and does nothing`() throws {
        let context = try makeContext()
        func fails(_ code: GranaryError.Code, _ names: [String], _ body: () throws -> Void) throws {
            let before = try shown(context)
            let count = context.overlay.pending.count
            let error = #expect(throws: GranaryError.self) { try body() }
            #expect(error?.code == code)
            #expect(error?.attributes == names)
            #expect(try shown(context) == before)
            #expect(context.overlay.pending.count == count)
        }
        try write(context, .insert(WrittenSchema.shelf, [1, nil]), .insert(WrittenSchema.shelf, [2, nil]))
        try write(context, .insert(WrittenSchema.person, [1, "a", "x", 1, "n"]))
        let box: [StoredValue] = ["a", 1, 2, nil, nil, nil, nil, nil, nil]

        // A reference that dangles.
        try write(context, .insert(WrittenSchema.box, box))
        try context.delete("a", from: WrittenSchema.box)
        try save(context)
        try write(context, .delete(WrittenSchema.shelf, 2))
        try fails(.danglingReference, ["spare"]) { try context.undo() }
        #expect(context.canUndo && !context.canRedo)
        try write(context, .insert(WrittenSchema.shelf, [2, nil]))
        #expect(try context.undo())
        try save(context)

        // A record that others refer to by now.
        context.removeAllUndo()
        try context.insert([3, nil], into: WrittenSchema.shelf)
        try save(context)
        try write(context, .update(WrittenSchema.box, ["a", 1, 3, nil, nil, nil, nil, nil, nil]))
        try fails(.danglingReference, ["spare"]) { try context.undo() }

        // A unique value that is taken, a key that is taken, a record that is gone.
        context.removeAllUndo()
        _ = try context.update([1, "b", "x", 1, "m"], in: WrittenSchema.person)
        try save(context)
        try write(context, .insert(WrittenSchema.person, [2, "c", "y", 1, "N"]))
        try fails(.uniqueness, ["nick"]) { try context.undo() }
        try write(context, .delete(WrittenSchema.person, 1))
        try fails(.recordNotFound, ["id"]) { try context.undo() }
        context.removeAllUndo()
        try context.delete(2, from: WrittenSchema.person)
        try save(context)
        try write(context, .insert(WrittenSchema.person, [2, "d", "y", 1, nil]))
        try fails(.uniqueness, ["id"]) { try context.undo() }
    }

    @Test func `records that exchanged a unique value go back together`() throws {
        let context = try makeContext()
        try context.insert([1, "a", "x", 1, nil], into: WrittenSchema.person)
        try context.insert([2, "b", "x", 2, nil], into: WrittenSchema.person)
        try context.withUndoGroup {
            _ = try context.update([1, nil, "x", 1, nil], in: WrittenSchema.person)
            _ = try context.update([2, "a", "x", 2, nil], in: WrittenSchema.person)
            _ = try context.update([1, "b", "x", 1, nil], in: WrittenSchema.person)
        }
        let after = try shown(context)
        try context.undo()
        #expect(try shown(context)[WrittenSchema.person][2] == [2, "b", "x", 2, nil])
        try context.redo()
        #expect(try shown(context) == after)
    }

    @Test func `the oldest groups are forgotten, and nothing is kept while undo is off`() throws {
        let context = try makeContext()
        context.undoLevels = 3
        for key in 1...5 { try context.insert([.integer(Int64(key)), nil], into: WrittenSchema.shelf) }
        #expect(try context.undo() && context.undo() && context.undo() && !context.undo())
        #expect(try shown(context)[0].count == 2)
        try context.redo()
        context.undoLevels = 1
        #expect(context.overlay.undoHistory?.redos.count == 1)

        context.removeAllUndo()
        try context.disableUndo { _ = try context.update([1, "z"], in: WrittenSchema.shelf) }
        #expect(context.isUndoEnabled && !context.canUndo && context.overlay.steps.isEmpty)
        let other = try makeContext(isUndoEnabled: false)
        try other.insert([1, nil], into: WrittenSchema.shelf)
        #expect(!other.canUndo && other.overlay.steps.isEmpty)
    }

    @Test func `groups that do not match, and undo inside one, are errors`() throws {
        let context = try makeContext()
        #expect(throws: GranaryError.self) { try context.endUndoGroup() }
        try context.insert([1, nil], into: WrittenSchema.shelf)
        context.beginUndoGroup()
        #expect(throws: GranaryError.self) { try context.undo() }
        try context.endUndoGroup()
        #expect(throws: GranaryError.self) { try context.savepoint { _ = try context.undo() } }
        #expect(try context.undo())
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try context.withUndoGroup(named: "half") {
                try context.insert([2, nil], into: WrittenSchema.shelf)
                throw Failure()
            }
        }
        #expect(context.undoName == "half")
    }
}
