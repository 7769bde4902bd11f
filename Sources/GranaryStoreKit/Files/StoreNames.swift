/// The names in a store folder. Other items in the folder are never removed.
enum StoreNames {
    static let current = "CURRENT"
    /// The next `CURRENT`, until it is renamed. Without a `CURRENT`, it marks all generations beside it as unfinished.
    static let next = "CURRENT.tmp"
    static let lock = "LOCK"
    /// The folder of ``ExternalFiles``, shared by all generations.
    static let external = "external"

    static func generation(_ number: Int) -> String {
        let digits = String(number)
        return "gen-" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// The number in a generation folder's name; nil unless the name has exactly this spelling.
    static func generationNumber(_ name: String) -> Int? {
        guard name.hasPrefix("gen-"), let number = Int(name.dropFirst(4)), number > 0, generation(number) == name else {
            return nil
        }
        return number
    }

    /// The store's folder for the folder of one of its generations. Any other path is returned unchanged.
    static func store(ofGeneration path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex,
            generationNumber(String(path[path.index(after: slash)...])) != nil
        else { return path }
        return String(path[..<slash])
    }

    static func isOurs(_ name: String) -> Bool {
        name == current || name == next || name == lock || name == external || generationNumber(name) != nil
    }
}
