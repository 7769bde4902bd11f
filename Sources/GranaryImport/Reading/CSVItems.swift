import GranaryCore
import GranaryFormats

/// The rows of CSV as objects.
final class CSVItems: ImportReader {
    private var reader: CSVReader
    private let header: [String]
    private var index = 0

    init(_ source: ByteSource, _ options: CSVOptions) throws {
        reader = try CSVReader(source, options)
        header = reader.header
    }

    func next() throws -> ImportItem? {
        do {
            guard try reader.nextRow() else { return nil }
        } catch let error as GranaryError {
            let column = error.position?.path ?? ""
            throw error.at("$[\(index)]\(column.isEmpty ? "" : ".\(column)")")
        }
        var members: [ImportObject.Member] = []
        members.reserveCapacity(reader.fieldCount)
        for column in 0..<reader.fieldCount {
            let isNull = !reader.isQuoted(column) && reader.field(column).isEmpty
            let key = column < header.count ? header[column] : "\(column)"
            members.append(.init(key, isNull ? .null : .string(reader.string(column))))
        }
        index += 1
        var item = ImportItem(.object(ImportObject(members)), index: index - 1, line: reader.line)
        item.place.isTable = true
        return item
    }

    var bytesRead: Int { reader.bytesRead }

    func skip(after error: any Error) throws {
        try reader.skipRow()
        index += 1
    }
}
