import ConformanceKit
import GranaryCore

var wordsCases: [ConformanceCase] {
    [
        searching(
            "case", "case does not matter, in any alphabet", ["Purple Haze", "ПУРПУР", "straße", "ΣΟΦΟΣ"],
            [
                (.all("purple"), [1]), (.all("HAZE"), [1]), (.all("пурпур"), [2]), (.all("STRASSE"), [3]),
                (.all("σοφος"), [4]), (.all("Σοφοσ"), [4]),
            ]),
        searching(
            "accents", "accents do not matter, however they are written",
            ["Björk", "Bjo\u{308}rk", "bjork", "Ångström", "Việt Nam", "Łódź"],
            [
                (.all("bjork"), [1, 2, 3]), (.all("BJÖRK"), [1, 2, 3]), (.all("angstrom"), [4]), (.all("viet"), [5]),
                // A letter with a stroke is another letter.
                (.all("lodz"), []), (.all("łodz"), [6]),
            ]),
        searching(
            "punctuation", "punctuation, spaces and emoji stand between words",
            ["fire, smoke; (ash)", "fire/smoke\tash\nlast", "🔥fire🔥", "\u{a0}fire\u{2003}smoke", "AC/DC: T.N.T."],
            [
                (.all("fire"), [1, 2, 3, 4]), (.all("smoke ash"), [1, 2]), (.all("last"), [2]), (.all("🔥"), []),
                (.all("t.n.t"), [5]), (.all("dc"), [5]), (.phrase("ac dc"), [5]),
            ]),
        searching(
            "joined", "what joins letters and digits belongs to the word",
            ["can't stop", "can’t stop", "3.14 and 1,000", "snake_case", "rock-n-roll", "it's o'clock", "U2 H2O"],
            [
                (.all("can't"), [1, 2]), (.all("can"), []), (.all("3.14"), [3]), (.all("3"), []), (.all("1,000"), [3]),
                (.all("snake_case"), [4]), (.all("snake"), []), (.all("rock"), [5]), (.phrase("rock n roll"), [5]),
                (.all("rock-n-roll"), [5]), (.all("o'clock"), [6]), (.all("u2"), [7]), (.all("h2o"), [7]),
            ]),
        searching(
            "whole", "a word is found as a whole, and not as a part of another one",
            ["art", "artist", "smart", "part art"],
            [(.all("art"), [1, 4]), (.all("artis"), []), (.all("mart"), []), (.all("artist"), [2])]),
        searching(
            "numbers", "digits are words, in any script", ["1967", "the year 1967", "١٩٦٧", "19 67", "0xFF"],
            [(.all("1967"), [1, 2]), (.all("١٩٦٧"), [3]), (.all("19"), [4]), (.all("0xff"), [5]), (.all("67"), [4])]),
        searching(
            "empty", "a text without words has none", ["", " ", "...", "🙂", "\u{301}", "\u{0}"],
            [(.all("a"), []), (.all(""), []), (.all("..."), []), (.any(""), []), (.phrase("!"), []), (.near(","), [])]),
        searching(
            "nul", "a NUL byte stands between words", ["fire\u{0}smoke", "fire"],
            [(.all("fire"), [1, 2]), (.all("smoke"), [1]), (.phrase("fire smoke"), [1])]),
        ConformanceCase("search.long-words", in: .search, "a word is compared by its first 128 bytes") { trial in
            let long = String(repeating: "abcdefgh", count: 20)
            let articles = try Articles(
                trial, titles: [long, long + "x", String(long.prefix(127)), String(repeating: "ä", count: 5_000)])
            try articles.expect(.all(long), [1, 2])
            try articles.expect(.all(long + "y"), [1, 2])
            try articles.expect(.all(String(long.prefix(127))), [3])
            try articles.expect(.all(String(repeating: "a", count: 200)), [4])
        },
        ConformanceCase("search.long-texts", in: .search, "every word of a long text is found") { trial in
            let words = (0..<20_000).map { "w\($0)" }
            let articles = try Articles(
                trial,
                [
                    Article(id: 1, title: words.joined(separator: " ")),
                    Article(id: 2, body: words.prefix(10_000).joined(separator: ", ")),
                ])
            try articles.expect(.all("w0"), [1, 2])
            try articles.expect(.all("w9999 w0"), [1, 2])
            try articles.expect(.all("w19999"), [1])
            try articles.expect(.phrase("w19998 w19999"), [1])
            try articles.expect(.phrase("w19999 w19998"), [])
        },
        ConformanceCase("search.json", in: .search, "the strings of JSON are texts of their own") { trial in
            let articles = try Articles(
                trial,
                [
                    Article(id: 1, tags: ["purple", "haze"]), Article(id: 2, tags: ["purple haze"]),
                    Article(id: 3, tags: ["say \"fire\"", "new\nline", "é\u{1F525}é"]), Article(id: 4, tags: []),
                ])
            try articles.expect(.all("purple haze"), [1, 2])
            try articles.expect(.phrase("purple haze"), [2])
            try articles.expect(.near("purple haze", within: 1_000), [2])
            try articles.expect(.all("fire"), [3])
            try articles.expect(.all("line"), [3])
            try articles.expect(.all("e"), [3])
            try articles.expect(.all("purple").in("tags"), [1, 2])
        },
        ConformanceCase("search.nil", in: .search, "nil has no words") { trial in
            let articles = try Articles(
                trial, [Article(id: 1, title: "fire"), Article(id: 2, body: "fire"), Article(id: 3, body: "nil null")])
            try articles.expect(.all("fire"), [1, 2])
            try articles.expect(.all("fire").in("body"), [2])
            try articles.expect(.none("fire").in("body"), [1, 3])
            try articles.expect(.all("nil"), [3])
        },
        ConformanceCase("search.attributes", in: .search, "words may be spread over attributes, a phrase may not") {
            trial in
            let articles = try Articles(
                trial,
                [
                    Article(id: 1, title: "purple", body: "haze"), Article(id: 2, title: "purple haze"),
                    Article(id: 3, body: "purple haze", tags: ["purple"]),
                ])
            try articles.expect(.all("purple haze"), [1, 2, 3])
            try articles.expect(.phrase("purple haze"), [2, 3])
            try articles.expect(.near("purple haze"), [2, 3])
            try articles.expect(.all("purple haze").in("title"), [2])
            try articles.expect(.all("purple").in("title") && .all("haze").in("body"), [1])
            try articles.expect(.phrase("purple haze").in("body"), [3])
        },
    ]
}

var scriptsCases: [ConformanceCase] {
    [
        searching(
            "han", "each two characters that follow each other are a word, where there are no spaces",
            ["日本語", "日本", "本日", "日 本", "日本語 English 中文", "語日本"],
            [
                (.all("日本"), [1, 2, 5, 6]), (.all("日本語"), [1, 5]), (.all("本語"), [1, 5]), (.all("日語"), []),
                (.all("日"), [1, 2, 3, 4, 5, 6]), (.all("語"), [1, 5, 6]), (.all("文"), [5]), (.all("本日"), [3]),
                (.all("english 中文"), [5]), (.phrase("日本語 english"), [5]),
                // The last character of a run stands where its pair does.
                (.phrase("日本 語"), [1, 5]),
            ]),
        searching(
            "kana", "kana are searched like Han, and folded widths stay what they are",
            ["ひらがな", "カタカナ", "ラーメン屋", "らーめん"],
            [(.all("らが"), [1]), (.all("カタ"), [2]), (.all("メン屋"), [3]), (.all("めん"), [4]), (.all("カナ"), [2])]),
        searching(
            "thai", "so are Thai, Lao, Khmer and Myanmar", ["สวัสดี", "ວຽງຈັນ", "សួស្តី", "မြန်မာ"],
            [(.all("สวัส"), [1]), (.all("สดี"), [1]), (.all("ຈັນ"), [2]), (.all("សួ"), [3]), (.all("မြန်"), [4])]),
        searching(
            "korean", "Hangul has spaces, and words", ["한국어 책", "한국", "책"],
            [(.all("한국어"), [1]), (.all("한국"), [2]), (.all("책"), [1, 3]), (.all("한국", beginnings: true), [1, 2])]),
        searching(
            "mixed", "scripts that follow each other are different words", ["iPhone手机", "東京2020", "abcДЕЖ"],
            [(.all("iphone"), [1]), (.all("手机"), [1]), (.all("東京"), [2]), (.all("2020"), [2]), (.all("abcдеж"), [3])]),
        searching(
            "right-to-left", "marks of Arabic and Hebrew do not matter", ["كِتَاب", "كتاب", "שָׁלוֹם", "שלום"],
            [(.all("كتاب"), [1, 2]), (.all("שלום"), [3, 4])]),
    ]
}
