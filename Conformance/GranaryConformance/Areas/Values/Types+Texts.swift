import ConformanceKit
import Foundation
import GranaryCore

var textTypesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "types.text-canonical", in: .types, "texts that Swift holds equal but that differ in bytes are distinct"
        ) { trial in
            let forms = ["\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{AC00}", "\u{1100}\u{1161}"]
            try trial.insertTwins(forms.enumerated().map { Sample(id: Int64($0), text: $1) })
            try trial.read { snapshot in
                let back = try snapshot.fetch(Sample.all).map { Array(($0.text ?? "nil").utf8) }
                try expectEqual(back, forms.map { Array($0.utf8) })
                for (position, form) in forms.enumerated() {
                    try snapshot.expectTwins(Sample.where { $0.text == form }, [Int64(position)])
                    try snapshot.expectTwins(
                        Sample.where { $0.text != form }, forms.indices.filter { $0 != position }.map { Int64($0) })
                    try snapshot.expectTwins(Sample.where { $0.text.in([form]) }, [Int64(position)])
                }
            }
        },
        ConformanceCase(
            "types.text-empty", in: .types, "an empty text, data or bytes is a value, and not nil"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, text: "", data: Data(), bytes: []), Sample(id: 2), Sample(id: 3, text: "\0", bytes: [0]),
            ])
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.where { $0.text == "" }, [1])
                try snapshot.expectTwins(Sample.where { $0.data == Data() }, [1])
                try snapshot.expectTwins(Sample.where { $0.bytes == [] }, [1])
                try snapshot.expectTwins(Sample.where { $0.text == nil }, [2])
                try snapshot.expectTwins(Sample.where { $0.data == nil }, [2, 3])
                try snapshot.expectTwins(Sample.where { $0.bytes == nil }, [2])
                try snapshot.expectTwins(Sample.where { $0.text > "" }, [3])
                try expectEqual(try snapshot.find(Sample.self, 1)?.text, "")
                try expectEqual(try snapshot.find(Sample.self, 1)?.data, Data())
                try expectEqual(try snapshot.find(Sample.self, 2)?.data, nil)
            }
        },
        ConformanceCase("types.text-nul", in: .types, "a text goes on after NUL, in the store and in conditions") {
            trial in
            let texts = ["a\0b", "a\0c", "a", "a\0", "\0\0\0", "\u{1F600}\0\u{1F601}"]
            try trial.insertTwins(texts.enumerated().map { Sample(id: Int64($0), text: $1) })
            try trial.read { snapshot in
                for (position, text) in texts.enumerated() {
                    try expectEqual(try snapshot.find(Sample.self, Int64(position))?.text, text)
                    try snapshot.expectTwins(Sample.where { $0.text == text }, [Int64(position)])
                }
                try snapshot.expectTwins(Sample.sorted(by: \.text), [4, 2, 3, 0, 1, 5])
                try snapshot.expectTwins(Sample.where { $0.text > "a\0b" }, [1, 5])
            }
        },
        ConformanceCase("types.text-megabyte", in: .types, "a text of 1 MB comes back whole and is found") { trial in
            let long = String(repeating: "0123456789abcde\n", count: 65_536)
            let (first, second) = (long + "a", long + "b")
            try trial.insertTwins([Sample(id: 1, text: first), Sample(id: 2, text: second), Sample(id: 3, text: long)])
            try trial.read { snapshot in
                try expectEqual(try snapshot.find(Sample.self, 1)?.text, first)
                try expectEqual(try snapshot.find(IndexedSample.self, 2)?.sample.text, second)
                try snapshot.expectTwins(Sample.where { $0.text == second }, [2])
                try snapshot.expectTwins(Sample.sorted(by: \.text), [3, 1, 2])
            }
        },
        ConformanceCase("types.data-megabyte", in: .types, "data of 1 MB comes back whole and is found") { trial in
            let first = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            let second = first + Data([0])
            try trial.insertTwins([Sample(id: 1, data: second), Sample(id: 2, data: first)])
            try trial.read { snapshot in
                try expectEqual(try snapshot.find(Sample.self, 1)?.data, second)
                try expectEqual(try snapshot.find(IndexedSample.self, 2)?.sample.data, first)
                try snapshot.expectTwins(Sample.where { $0.data == first }, [2])
                try snapshot.expectTwins(Sample.sorted(by: \.data), [2, 1])
            }
        },
        ConformanceCase("types.data-all-bytes", in: .types, "all 256 bytes come back from data and bytes") { trial in
            let all = [UInt8](0...255)
            let slice = Data([9, 9] + all + [9]).dropFirst(2).dropLast()
            try trial.insert([Sample(id: 1, data: slice, bytes: all)])
            let back = try trial.find(Sample.self, 1)
            try expectEqual(back?.data.map { Array($0) }, all)
            try expectEqual(back?.data?.startIndex, 0)
            try expectEqual(back?.bytes, all)
        },
        ConformanceCase(
            "types.text-sizes", in: .types, "texts of every length around the sizes of pages and buffers come back"
        ) { trial in
            let sizes = [0, 128, 256, 511, 2048, 4096, 16_384, 65_536]
            let lengths: [Int] = sizes.flatMap { size in (-2...2).map { size + $0 }.filter { $0 >= 0 } }
            let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789-")
            func text(_ length: Int) -> String { String((0..<length).map { letters[($0 + length) % letters.count] }) }
            try trial.insert(
                lengths.enumerated().map { Sample(id: Int64($0), text: text($1), bytes: Array(text($1 + 1).utf8)) })
            for (sample, length) in zip(try trial.fetch(Sample.all), lengths) {
                try expectEqual(sample.text, text(length), "\(length) bytes")
                try expectEqual(sample.bytes, Array(text(length + 1).utf8), "\(length) bytes")
            }
        },
    ]
}
