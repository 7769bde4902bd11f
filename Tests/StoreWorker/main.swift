import Foundation
import GranaryConformance
import GranaryCore
import GranarySelfTest
import GranaryTool

// A process of its own for the tests of several processes:
//
// StoreWorker KIND PATH count COUNT
//     Adds one to a counter in as many transactions and prints the counter's value after each commit has returned, so that
//     whoever kills it knows what was promised.
// StoreWorker KIND PATH keep COUNT
//     As `count`, as the author "worker", of which a history is kept.
// StoreWorker KIND PATH tag KEY LABEL...
//     Inserts a tag with each label and prints, a line each, `inserted` or the code of the error. The keys begin with KEY.
// StoreWorker KIND PATH hold COUNT
//     Opens the store, reads its tickets' number, prints it, and goes on reading until it is killed; COUNT is of no use.
// StoreWorker KIND PATH compact COUNT
//     As `count`, and compacts the store after each commit and prints `compacted`, or `busy` where it is.
// StoreWorker KIND PATH reset|reseed|copy|seed COUNT
//     Resets the store, to nothing or to the store Seed.granary next to it; copies it to PATH.new; or opens PATH.new with it as
//     seed. Prints `done`. COUNT is of no use.
// StoreWorker KIND PATH migrate COUNT
//     Migrates the store to another schema and back, as many times, and prints a number after each.
// StoreWorker KIND PATH photos COUNT
//     Writes and removes external values, and prints a number after each commit. COUNT is of no use.
// StoreWorker KIND PATH fail COUNT
//     As `count`, with a read before it. At the first error it prints the error's code and is killed. Which call fails is
//     in the environment: see Conformance/Faults/Shim/faults.c.

func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

func count(_ stack: Stack, to count: Int) throws {
    for _ in 0..<count {
        let number = try stack.write(as: "worker") { tx in
            let shelf = try tx.find(Shelf.self, 1) ?? Shelf(id: 1, name: "0")
            let number = (Int(shelf.name) ?? 0) + 1
            try tx.upsert(Shelf(id: 1, name: "\(number)"))
            try tx.insert(Ticket(id: .timeOrdered(), label: "\(number)"))
            return number
        }
        report("\(number)")
    }
}

func hold(_ stack: Stack) throws {
    try stack.read { snapshot in
        report("\(try snapshot.count(Ticket.all))")
        while true { sleep(1000) }
    }
}

func compact(_ stack: Stack, _ times: Int) async throws {
    for _ in 0..<times {
        try count(stack, to: 1)
        do {
            try await stack.compact()
            report("compacted")
        } catch let error as GranaryError where error.code == .busy {
            report("busy")
        }
    }
}

func replace(_ kind: StoreKind, _ path: String, _ job: String) async throws {
    func seed(_ path: String) -> Seed { .store(kind.provider(at: path)) }
    if job == "seed" {
        let provider = kind.provider(at: path + ".new")
        try await Stack(SuiteSchema.standard, store: provider, seed: seed(path)).close()
    } else {
        let beside = URL(filePath: path).deletingLastPathComponent().appending(path: "Seed.granary").path
        let stack = try await Stack(SuiteSchema.standard, store: kind.provider(at: path), seed: seed(beside))
        if job == "copy" {
            try await stack.copy(to: kind.provider(at: path + ".new")).close()
        } else {
            try await stack.reset(to: job == "reset" ? .empty : .seed)
        }
        try await stack.close()
    }
    report("done")
}

func fail(_ stack: Stack, _ times: Int) throws {
    // Leaves a connection that is open and reads nothing.
    _ = try stack.read { try $0.count(Ticket.all) }
    try count(stack, to: times)
}

func tag(_ stack: Stack, from key: Int64, _ labels: [String]) throws {
    for (index, label) in labels.enumerated() {
        do {
            try stack.write { _ = try $0.insert(Tag(id: key + Int64(index), label: label)) }
            report("inserted")
        } catch let error as GranaryError {
            report("\(error.code)")
        }
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let kind = StoreKind(rawValue: arguments[1]), let number = Int(arguments[4]),
    [
        "count", "keep", "tag", "hold", "compact", "fail", "migrate", "reset", "reseed", "copy", "seed", "photos",
    ].contains(arguments[3])
else {
    FileHandle.standardError.write(
        Data(
            "usage: StoreWorker KIND PATH count|keep|hold|compact|fail|migrate|reset|reseed|copy|seed|photos COUNT | tag KEY LABEL...\n"
                .utf8))
    exit(64)
}

if ["reset", "reseed", "copy", "seed"].contains(arguments[3]) {
    do {
        try await replace(kind, arguments[2], arguments[3])
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
}

do {
    if arguments[3] == "migrate" {
        try MigrationWorker.run(kind.subject, at: arguments[2], number, report: report)
        exit(0)
    }
    if arguments[3] == "photos" {
        try PhotoWorker.run(kind.subject, at: arguments[2], report: report)
        exit(0)
    }
    let isCounting = arguments[3] != "tag"
    let stack = try kind.subject.open(
        isCounting ? SuiteSchema.standard : SuiteSchema.shop, at: arguments[2],
        history: arguments[3] == "keep" ? .everything : .none)
    switch arguments[3] {
    case "tag": try tag(stack, from: Int64(number), Array(arguments.dropFirst(5)))
    case "hold": try hold(stack)
    case "compact": try await compact(stack, number)
    case "fail": try fail(stack, number)
    default: try count(stack, to: number)
    }
    try stack.close()
} catch let error as GranaryError where arguments[3] == "fail" {
    report("\(error.code)")
    kill(getpid(), SIGKILL)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
