import Foundation
import GranaryCore
import GranaryFormats

/// Reads files that a verb needs as a whole: mappings and schemas.
enum WholeFile {
    /// More than the size of any such file. A device such as `/dev/zero` never ends.
    private static let mostBytes = 64 << 20

    /// All bytes of a file. A FIFO is read as soon as another process writes to it, within the time of `--wait`.
    ///
    /// - Returns: Nil if the file cannot be read.
    /// - Throws: `busy` for a FIFO that no process writes to; `limit` for a file that is too long.
    static func contents(_ path: String) throws -> Data? {
        do {
            let stream = try ByteSource.file(path).open()
            var data = Data()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) }
                guard count > 0 else { return data }
                data.append(contentsOf: buffer.prefix(count))
                guard data.count <= mostBytes else {
                    throw GranaryError(.limit, "\(path) has more than \(mostBytes >> 20) MB. Check the path.")
                }
            }
        } catch let error as GranaryError where error.code != .busy && error.code != .limit {
            return nil
        }
    }
}
