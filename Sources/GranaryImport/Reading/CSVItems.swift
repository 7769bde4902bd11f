import GranaryCore
import GranaryFormats

/// The rows of CSV as objects.
final class CSVItems: ImportReader {
    // Used only by `next` and `skip`, which do not call each other.
    @exclusivity(unchecked) private var reader: CSVReader
    /// The names of the columns; for columns without a name their numbers.
    @exclusivity(unchecked) private var names: [[UInt8]]
    @exclusivity(unchecked) private var packer = ItemPacker()
    private let input: ImportPlace.Input
    private var index = 0

    init(_ source: ByteSource, _ options: CSVOptions) throws {
        reader = try CSVReader(source, options)
        input = ImportPlace.Input(isTable: true, isUnquoted: options.quote == nil, file: source.fileName)
        names = reader.header.map { Array($0.utf8) }
    }

    func next() throws -> ImportItem? {
        do {
            guard try reader.nextRow() else { return nil }
        } catch let error as GranaryError {
            let column = error.position?.path ?? ""
            throw error.at("$[\(index)]\(column.isEmpty ? "" : ".\(column)")")
        }
        while names.count < reader.fieldCount { names.append(Array("\(names.count)".utf8)) }
        packer.begin()
        packer.beginContainer(.object)
        for column in 0..<reader.fieldCount {
            names[column].withUnsafeBytes { packer.append(.key, text: $0) }
            let field = reader.field(column)
            if field.isEmpty, !reader.isQuoted(column) {
                packer.append(.null)
            } else {
                packer.append(.string, text: field)
            }
        }
        _ = packer.endContainer()
        index += 1
        return ImportItem(packer.end(), index: index - 1, line: reader.line, input: input)
    }

    var bytesRead: Int { reader.bytesRead }

    func skip(after error: any Error) throws {
        do {
            try reader.skipRow()
        } catch let failure as GranaryError {
            throw failure.at("$[\(index)]")
        }
        index += 1
    }
}
