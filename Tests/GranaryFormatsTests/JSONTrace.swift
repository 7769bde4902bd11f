import GranaryFormats

/// The events of JSON as text, one after the other, with the error at the end if there is one.
func trace(_ bytes: [UInt8], _ options: JSONOptions = JSONOptions(), chunk: Int = .max) -> String {
    var reader = JSONReader(ArrayStream(bytes, chunk: chunk), name: "test", options)
    var trace = ""
    do {
        while try reader.nextDocument() { try traceDocument(&reader, &trace) }
    } catch {
        trace += "\(error)"
    }
    return trace
}

func trace(_ text: String, _ options: JSONOptions = JSONOptions(), chunk: Int = .max) -> String {
    trace(Array(text.utf8), options, chunk: chunk)
}

func traceDocument(_ reader: inout JSONReader, _ trace: inout String) throws {
    while true {
        switch try reader.next() {
        case .beginObject: trace += "{ "
        case .endObject: trace += "} "
        case .beginArray: trace += "[ "
        case .endArray: trace += "] "
        case .key: trace += "\(reader.string): "
        case .string: trace += "'\(reader.string)' "
        case .number: trace += "\(reader.string) "
        case .true: trace += "true "
        case .false: trace += "false "
        case .null: trace += "null "
        case .end:
            trace += "; "
            return
        }
    }
}

/// The error that reading ends with, or nil if all was read.
func failure(_ bytes: [UInt8], _ options: JSONOptions = JSONOptions(), chunk: Int = .max) -> GranaryError? {
    var reader = JSONReader(ArrayStream(bytes, chunk: chunk), name: "test", options)
    do {
        while try reader.nextDocument() {
            while try reader.next() != .end {}
        }
        return nil
    } catch {
        return error as? GranaryError
    }
}

/// Sizes of chunks that cut every token at every place, and one that cuts none.
let chunkSizes = [1, 2, 3, 7, Int.max]
