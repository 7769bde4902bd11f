import Foundation
import GranaryConformance
import GranaryCore
import GranaryTool

// A process of its own for the tests of several processes: StoreWorker KIND PATH COUNT
//
// Adds one to a counter in as many transactions and prints the counter's value after each commit has returned, so that
// whoever kills it knows what was promised.

let arguments = CommandLine.arguments
guard arguments.count == 4, let kind = StoreKind(rawValue: arguments[1]), let count = Int(arguments[3]) else {
    FileHandle.standardError.write(Data("usage: StoreWorker KIND PATH COUNT\n".utf8))
    exit(64)
}

do {
    let stack = try kind.subject.open(SuiteSchema.standard, at: arguments[2])
    for _ in 0..<count {
        let number = try stack.write { tx in
            let shelf = try tx.find(Shelf.self, 1) ?? Shelf(id: 1, name: "0")
            let number = (Int(shelf.name) ?? 0) + 1
            try tx.upsert(Shelf(id: 1, name: "\(number)"))
            try tx.insert(Ticket(id: .timeOrdered(), label: "\(number)"))
            return number
        }
        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
    try stack.close()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
