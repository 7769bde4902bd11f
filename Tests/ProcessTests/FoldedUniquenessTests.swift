import ConformanceKit
import Foundation
import GranaryCore
import GranaryTool
import StoreSubjects
import Testing

/// What is unique without regard to case is so for every process that has the store open.
struct FoldedUniquenessTests {
    @Test(arguments: WorkerProgram.kinds) func `a label taken in one process is taken in another, whatever its case`(
        _ kind: StoreKind
    ) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Tags.granary"
            let stack = try kind.subject.open(SuiteSchema.shop, at: path)
            let mine = ["Stra\u{DF}e", "\u{C9}cole", "\u{3A3}\u{399}\u{3A3}", "free"]
            try stack.blocking.write { tx in
                _ = try tx.insert(mine.enumerated().map { Tag(id: Int64($0), label: $1) })
                try tx.delete(Tag.self, 3)
            }
            // The same but for case, with one of them in two scalars; one that was given up; and one that is only near.
            let theirs = [
                "STRASSE", "e\u{301}COLE", "\u{3C3}\u{3B9}\u{3C2}", "FREE", "Free", "Ecole", "\u{C4}rger",
            ]
            let (process, pipe) = try WorkerProgram.start(kind, path, ["tag", "100"] + theirs)
            #expect(
                WorkerProgram.lines(pipe) == [
                    "uniqueness", "uniqueness", "uniqueness", "inserted", "uniqueness", "inserted", "inserted",
                ])
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            // This process, which has the store open all the while, sees what the other one took.
            for label in ["fREE", "\u{E4}RGER", "a\u{308}rger", "eCOLE"] {
                let error = #expect(throws: GranaryError.self) {
                    try stack.blocking.write { _ = try $0.insert(Tag(id: 9, label: label)) }
                }
                #expect(error?.code == .uniqueness)
                #expect(error?.entity == "Tag")
                #expect(error?.attributes == ["label"])
            }
            let found = try stack.blocking.read { snapshot in
                try snapshot.fetch(Tag.where { $0.label.equals("\u{E4}RGER", .caseInsensitive) }).map(\.id)
            }
            #expect(found == [106])
            #expect(try stack.blocking.read { try $0.fetch(Tag.all).map(\.id) } == [0, 1, 2, 103, 105, 106])
            #expect(try stack.blocking.verify() == [])
            try stack.blocking.close()
        }
    }

    @Test(arguments: WorkerProgram.kinds) func `of processes that take the same labels at once one gets each`(
        _ kind: StoreKind
    ) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Race.granary"
            let labels = (0..<30).map { "\u{E9}t\u{E9} \($0)" }
            let workers = try [labels, labels.map { $0.uppercased() }, labels.map(\.capitalized)].enumerated().map {
                try WorkerProgram.start(kind, path, ["tag", "\(($0 + 1) * 1000)"] + $1)
            }
            let outcomes = workers.map { WorkerProgram.lines($0.1) }
            for (process, _) in workers {
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
            #expect(outcomes.allSatisfy { $0.count == labels.count })
            for index in labels.indices {
                #expect(outcomes.map { $0[index] }.sorted() == ["inserted", "uniqueness", "uniqueness"])
            }
            let stack = try kind.subject.open(SuiteSchema.shop, at: path)
            #expect(try stack.blocking.read { try $0.count(Tag.all) } == labels.count)
            #expect(try stack.blocking.verify() == [])
            try stack.blocking.close()
        }
    }
}
