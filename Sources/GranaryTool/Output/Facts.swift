import GranaryPlatform

/// Names with values, printed as lines or as one JSON object.
struct Facts {
    private var lines: [(name: String, text: String)] = []
    private var members: [(String, JSONText)] = []

    /// - Parameter text: The text for people; if it is nil, the fact appears only in JSON.
    mutating func add(_ name: String, _ text: String?, _ json: (name: String, value: JSONText)) {
        if let text { lines.append((name, text)) }
        members.append((json.name, json.value))
    }

    mutating func add(_ name: String, _ text: String) { add(name, text, (name, .string(text))) }

    func write(_ output: Output, asJSON: Bool) throws {
        if asJSON { return try output.json(.object(members)) }
        let lines = lines.map { (name: $0.name.inOneLine, text: $0.text.inOneLine) }
        let width = lines.map(\.name.count).max() ?? 0
        for (name, text) in lines {
            let space = String(repeating: " ", count: width - name.count + 2)
            output.line(name, .bold, space + text)
        }
    }
}
