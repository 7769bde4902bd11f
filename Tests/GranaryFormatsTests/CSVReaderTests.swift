@testable import GranaryFormats
import Testing

/// The rows as text: fields in brackets, those in quotes marked, with the errors where they came.
func rows(_ bytes: [UInt8], _ options: CSVOptions = CSVOptions(hasHeader: false), chunk: Int = .max) -> String {
    var text = ""
    do {
        var reader = try CSVReader(ArrayStream(bytes, chunk: chunk), name: "test", options)
        if options.hasHeader { text += "\(reader.header) " }
        while true {
            do {
                guard try reader.nextRow() else { return text }
                for index in 0..<reader.fieldCount {
                    text += "\(reader.isQuoted(index) ? "\"" : "")[\(reader.string(index))]"
                }
                text += " "
            } catch {
                text += "<\(error)> "
            }
        }
    } catch {
        return text + "<\(error)>"
    }
}

func rows(_ text: String, _ options: CSVOptions = CSVOptions(hasHeader: false), chunk: Int = .max) -> String {
    rows(Array(text.utf8), options, chunk: chunk)
}

struct CSVReaderTests {
    @Test(arguments: [
        ("", ""), ("a", "[a] "), ("a\n", "[a] "), ("a,b\r\nc,d\r\n", "[a][b] [c][d] "), ("a,b\nc,d", "[a][b] [c][d] "),
        (",\n", "[][] "), ("a,\n,b", "[a][] [][b] "), ("\"a\"\n", "\"[a] "), ("\"\",", "\"[][] "),
        ("\"a,b\",c\n", "\"[a,b][c] "), ("\"a\"\"b\"\n", "\"[a\"b] "), ("\"\"\"\"\n", "\"[\"] "),
        ("\"a\r\nb\nc\",d\r\ne,f", "\"[a\r\nb\nc][d] [e][f] "), (" a , b \n", "[ a ][ b ] "),
        ("\n\n\r\na,b\n\nc,d\n\n", "[a][b] [c][d] "),
        ("a\n\nb\n", "[a] [] [b] "), ("\u{FEFF}a,é\n", "[a][é] "), ("\u{FEFF}\"a\"", "\"[a] "), ("a\tb\n", "[a\tb] "),
        ("'a','b'\n", "['a']['b'] "),
        (
            "long field of more than eight bytes,\"quoted, just as long as that\"",
            "[long field of more than eight bytes]\"[quoted, just as long as that] "
        ),
    ])
    func `rows are read by RFC 4180, whatever the chunks`(_ text: String, _ expected: String) {
        for chunk in chunkSizes { #expect(rows(text, chunk: chunk) == expected, "chunks of \(chunk)") }
    }

    @Test(arguments: [
        ("a,b\nc\nd,e", "test, line 2, byte 4: The row has 1 fields, and the first row has 2."),
        ("a,b\nc,d,e\nd,e", "test, line 2, byte 4: The row has 3 fields, and the first row has 2."),
        (
            "a,b\n\"c\"d,e\nd,e",
            "test, line 2, byte 7, column 1: There is something between a closing quote and the delimiter. Double quotes that belong to the field."
        ),
        (
            "a,b\nc,d\"e\nd,e",
            "test, line 2, byte 7, column 2: There is a quote within a field that does not begin with one. Quote the whole field, and double this quote."
        ),
        (
            "a,b\nc,d\re\nd,e",
            "test, line 2, byte 7, column 2: There is a carriage return without a line feed. Quote the field, or end lines with CRLF or LF."
        ),
        (
            "a,b\nc,\0d\nd,e",
            "test, line 2, byte 6, column 2: There is a NUL character. Convert the input to UTF-8, or remove it."
        ),
    ])
    func `an error names the line, and the next row can be read`(_ text: String, _ expected: String) {
        for chunk in chunkSizes { #expect(rows(text, chunk: chunk) == "[a][b] <invalidInput: \(expected)> [d][e] ") }
    }

    @Test(arguments: chunkSizes) func `fields that are not UTF-8 are refused`(_ chunk: Int) {
        let bytes =
            Array("id,name\nx,".utf8) + [0xC3, 0x28] + Array("\ny,".utf8) + [0xC3, 0x2C, 0xA9, 0x0A] + Array("z,é".utf8)
        var options = CSVOptions()
        options.unevenRows = .accept
        let bad = "The field has bytes that are not UTF-8. Convert the input to UTF-8."
        #expect(
            rows(bytes, options, chunk: chunk)
                == "[\"id\", \"name\"] <invalidInput: test, line 2, byte 8, name: \(bad)> <invalidInput: test, line 3, byte 13, name: \(bad)> [z][é] "
        )
    }

    @Test func `an input that ends within quotes is refused`() {
        for chunk in chunkSizes {
            #expect(
                rows("\"a\n", chunk: chunk)
                    == "<invalidInput: test, line 1, byte 0, column 1: The field begins with a quote that is not closed in the right way up to line 2. Close it, or double quotes that belong to the field.> "
            )
        }
    }

    @Test func `a header names the columns`() throws {
        var reader = try CSVReader(.text("id,\"full name\"\n1,A\n"))
        #expect(reader.header == ["id", "full name"])
        #expect(try reader.nextRow())
        #expect(reader.position(1).description == "text, line 2, byte 15, full name")
        #expect(reader.field(7).isEmpty)
        #expect(try reader.nextRow() == false)
        #expect(throws: GranaryError.self) { _ = try CSVReader(.text("")) }
        #expect(throws: GranaryError.self) { _ = try CSVReader(.text("a,b,a\n")) }
    }

    @Test func `delimiters and quotes are chosen`() throws {
        let options = CSVOptions(hasHeader: false, delimiter: UInt8(ascii: "\t"), quote: UInt8(ascii: "'"))
        #expect(rows("a\t'b\tc'\t\"d\"\n", options) == "[a]'[b\tc][\"d\"] ".replacing("'", with: "\""))
        #expect(throws: GranaryError.self) { _ = try CSVReader(.text("a"), CSVOptions(delimiter: UInt8(ascii: "\""))) }
    }

    @Test(arguments: chunkSizes) func `without quotes a quote is a character like any other`(_ chunk: Int) throws {
        var options = CSVOptions.tsv
        options.hasHeader = false
        #expect(
            rows("1\t\"Gold\r\n2\tcord\"\n\t\"\"\n5\" long\t\n", options, chunk: chunk)
                == "[1][\"Gold] [2][cord\"] [][\"\"] [5\" long][] ")
        options.delimiter = UInt8(ascii: ",")
        #expect(rows(",a\n\"b,c\"\n", options, chunk: chunk) == "[][a] [\"b][c\"] ")
    }

    @Test func `uneven rows are accepted if that is wanted`() {
        #expect(rows("a,b\nc\nd,e,f\n", CSVOptions(hasHeader: false, unevenRows: .accept)) == "[a][b] [c] [d][e][f] ")
    }

    @Test func `the number of fields of a row is limited, and the next row is read`() throws {
        let limit = CSVReader.maximumFields
        let text = String(repeating: ",", count: limit - 1) + "\n" + String(repeating: ",", count: limit) + "\nx\n"
        var reader = try CSVReader(.text(text), CSVOptions(hasHeader: false, unevenRows: .accept))
        #expect(try reader.nextRow())
        let error = #expect(throws: GranaryError.self) { try reader.nextRow() }
        #expect(error?.code == .limit && error?.message.contains("more than \(limit) fields") == true)
        #expect(try reader.nextRow())
        #expect(try !reader.nextRow())
    }

    @Test(arguments: chunkSizes) func `the length of a row is limited`(_ chunk: Int) {
        let options = CSVOptions(hasHeader: false, maximumRowLength: 6)
        #expect(
            rows("abc,def\nabc,defg\nx,y\n", options, chunk: chunk).contains(
                "<limit: test, line 2, byte 8: A row is longer than 6 bytes."))
        #expect(rows("abc,def\nabc,defg\nx,y\n", options, chunk: chunk).hasSuffix("[x][y] "))
    }
}
