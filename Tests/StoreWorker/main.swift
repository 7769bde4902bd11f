import ConformanceKit
import Foundation
import GranaryCore
import GranaryTool
import StoreSubjects

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
// StoreWorker KIND PATH occupy COUNT
//     Inserts COUNT tickets with labels of 1 000 letters in one transaction. Then begins another write transaction, prints
//     `writing` in it, and ends it after 30 seconds if the process is not killed before.
// StoreWorker KIND PATH compact COUNT
//     As `count`, and compacts the store after each commit and prints `compacted`, or `busy` where it is.
// StoreWorker KIND PATH alter COUNT
//     Migrates the store to a schema of which nothing rewrites records. Prints `done`. COUNT is of no use.
// StoreWorker KIND PATH migrate COUNT
//     Migrates the store to another schema and back, as many times, and prints a number after each.
// StoreWorker KIND FOLDER sweep JOB FAULT LIMIT
//     Kills processes at the calls of a job, or has these fail, and prints a line a failure, and one in the end: `FaultSweep`.
// StoreWorker KIND PATH photos COUNT
//     Writes and removes external values, and prints a number after each commit. COUNT is of no use.
// StoreWorker sqlite PATH statistics COUNT
//     Opens the store and prints `counted` or `uncounted`: whether SQLite counts the memory it uses. If COUNT is 1, the
//     program uses SQLite before, and prints it then, too.
// StoreWorker KIND PATH fail COUNT
//     As `count`, with a read before it. At the first error it prints the error's code and is killed. Which call fails is
//     in the environment: see Conformance/Faults/Shim/faults.c.

func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

func count(_ stack: Stack, to count: Int) throws {
    for _ in 0..<count {
        let number = try stack.blocking.write(as: "worker") { tx in
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
    try stack.blocking.read { snapshot in
        report("\(try snapshot.count(Ticket.all))")
        while true { sleep(1000) }
    }
}

func occupy(_ stack: Stack, after count: Int) throws {
    let label = String(repeating: "a", count: 1_000)
    try stack.blocking.write { tx in
        for _ in 0..<count { try tx.insert(Ticket(id: .timeOrdered(), label: label)) }
    }
    try stack.blocking.write { tx in
        try tx.insert(Ticket(id: .timeOrdered()))
        report("writing")
        sleep(30)
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

func fail(_ stack: Stack, _ times: Int) throws {
    // Leaves a connection that is open and reads nothing.
    _ = try stack.blocking.read { try $0.count(Ticket.all) }
    try count(stack, to: times)
}

func tag(_ stack: Stack, from key: Int64, _ labels: [String]) throws {
    for (index, label) in labels.enumerated() {
        do {
            try stack.blocking.write { _ = try $0.insert(Tag(id: key + Int64(index), label: label)) }
            report("inserted")
        } catch let error as GranaryError {
            report("\(error.code)")
        }
    }
}

let arguments = CommandLine.arguments
#if os(Linux)
    if arguments.count == 7, arguments[3] == "sweep", let kind = StoreKind(rawValue: arguments[1]),
        let job = FaultSweep.Job(rawValue: arguments[4]), let fault = FaultSweep.Fault(rawValue: arguments[5]),
        let limit = Int(arguments[6])
    {
        do {
            try FaultSweep(kind, job, fault, limit: limit, in: arguments[2]).run(report: report)
            exit(0)
        } catch {
            report("failure \(error)")
            exit(1)
        }
    }
#endif
guard arguments.count >= 5, let kind = StoreKind(rawValue: arguments[1]), let number = Int(arguments[4]),
    [
        "count", "keep", "tag", "hold", "occupy", "compact", "fail", "migrate", "alter", "photos", "statistics",
    ].contains(arguments[3])
else {
    FileHandle.standardError.write(
        Data(
            "usage: StoreWorker KIND PATH count|keep|hold|occupy|compact|fail|migrate|alter|photos|statistics COUNT | tag KEY LABEL...\n"
                .utf8))
    exit(64)
}

do {
    if arguments[3] == "alter" {
        try kind.subject.open(MigrationWorker.alteredSchema, at: arguments[2]).blocking.close()
        report("done")
        exit(0)
    }
    if arguments[3] == "migrate" {
        try MigrationWorker.run(kind.subject, at: arguments[2], number, report: report)
        exit(0)
    }
    if arguments[3] == "photos" {
        try PhotoWorker.run(kind.subject, at: arguments[2], report: report)
        exit(0)
    }
    if arguments[3] == "statistics", number == 1 { report(MemoryStatistics.word) }
    let isCounting = arguments[3] != "tag"
    let stack = try kind.subject.open(
        isCounting ? SuiteSchema.standard : SuiteSchema.shop, at: arguments[2],
        history: arguments[3] == "keep" ? .everything : .none)
    switch arguments[3] {
    case "tag": try tag(stack, from: Int64(number), Array(arguments.dropFirst(5)))
    case "hold": try hold(stack)
    case "occupy": try occupy(stack, after: number)
    case "compact": try await compact(stack, number)
    case "fail": try fail(stack, number)
    case "statistics":
        try count(stack, to: 1)
        report(MemoryStatistics.word)
    default: try count(stack, to: number)
    }
    try stack.blocking.close()
} catch let error as GranaryError where arguments[3] == "fail" {
    report("\(error.code)")
    kill(getpid(), SIGKILL)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
