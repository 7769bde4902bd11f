/// The line that names one trial: a word for the sweep, then `name=value` words.
struct TrialWords {
    let sweep: String
    private var values: [String: String] = [:]

    init(_ line: String) {
        let words = line.split(separator: " ").map { String($0) }
        sweep = words.first ?? ""
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map { String($0) }
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
    }

    func text(_ name: String) throws -> String {
        guard let value = values[name] else { throw TrialError("the trial lacks \(name)=") }
        return value
    }

    func number(_ name: String) throws -> Int {
        guard let number = Int(try text(name)) else { throw TrialError("\(name) is not a number") }
        return number
    }

    func seed() throws -> UInt64 { UInt64(try number("seed")) }

    func store() throws -> StoreKind {
        guard let kind = StoreKind(argument: try text("store")) else { throw TrialError("no such store") }
        return kind
    }
}

/// A line that names no trial.
struct TrialError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
