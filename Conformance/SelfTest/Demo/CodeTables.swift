import Foundation
import GranaryCore

/// The ISO code tables of Debian's `iso-codes` package, read from its JSON files.
struct CodeTables {
    static let standardFolder = "/usr/share/iso-codes/json"
    static let schema = Schema(Country.self, Subdivision.self, Currency.self, Language.self)

    var countries: [Country] = []
    var subdivisions: [Subdivision] = []
    var currencies: [Currency] = []
    var languages: [Language] = []

    /// - Throws: `invalidPath` with the package to install if a file is missing, `typeMismatch` if one is not what it
    ///   should be.
    init(folder: String) throws {
        for row in try CodeTables.rows("3166-1", in: folder) {
            countries.append(
                Country(
                    alpha2: try row.text("alpha_2"), alpha3: try row.text("alpha_3"), name: try row.text("name"),
                    officialName: row.values["official_name"], numeric: try row.text("numeric"),
                    flag: row.values["flag"]))
        }
        let rows = try CodeTables.rows("3166-2", in: folder)
        let codes = Set(rows.compactMap { $0.values["code"] })
        for row in rows {
            let code = try row.text("code")
            let country = String(code.prefix(2))
            // A parent is written with its country's code or without.
            let parent = row.values["parent"].map { $0.hasPrefix(country + "-") ? $0 : "\(country)-\($0)" }
            subdivisions.append(
                Subdivision(
                    code: code, name: try row.text("name"), type: try row.text("type"), country: Ref(country),
                    parent: parent.flatMap { codes.contains($0) ? Ref($0) : nil }))
        }
        for row in try CodeTables.rows("4217", in: folder) {
            currencies.append(
                Currency(
                    alpha3: try row.text("alpha_3"), name: try row.text("name"),
                    numeric: row.values["numeric"].flatMap { Int($0) }))
        }
        for row in try CodeTables.rows("639-3", in: folder) {
            guard let scope = Language.Scope(rawValue: try row.text("scope")),
                let type = Language.Kind(rawValue: try row.text("type"))
            else { throw row.unexpected("scope or type") }
            languages.append(
                Language(
                    alpha3: try row.text("alpha_3"), name: try row.text("name"), alpha2: row.values["alpha_2"],
                    scope: scope, type: type))
        }
    }

    var count: Int { countries.count + subdivisions.count + currencies.count + languages.count }

    /// Inserts every table in one transaction. Subdivisions go in together, as they refer to each other in any order.
    func insert(into tx: Transaction) throws {
        try tx.insert(countries)
        try tx.insert(subdivisions)
        try tx.insert(currencies)
        try tx.insert(languages)
    }

    private struct TableRow {
        var table: String
        var values: [String: String]

        func text(_ key: String) throws -> String {
            guard let value = values[key] else { throw unexpected(key) }
            return value
        }

        func unexpected(_ key: String) -> GranaryError {
            GranaryError(.typeMismatch, "A row of iso_\(table).json has no usable \"\(key)\".")
        }
    }

    private static func rows(_ table: String, in folder: String) throws -> [TableRow] {
        let path = "\(folder)/iso_\(table).json"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw GranaryError(
                .invalidPath,
                "There is no \(path). Install the tables with \"apt-get install iso-codes\", or name their folder with --data."
            )
        }
        do {
            let tables = try JSONDecoder().decode([String: [[String: String]]].self, from: data)
            return (tables[table] ?? []).map { TableRow(table: table, values: $0) }
        } catch {
            throw GranaryError(.typeMismatch, "\(path) is not a table of ISO codes.")
        }
    }
}
