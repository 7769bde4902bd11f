import Foundation
import Testing

@testable import GranaryStoreKit

@Suite struct DateTextTests {
    @Test(
        arguments: [
            ("2001-01-01", 0), ("2001-01-01T00:00Z", 0), ("2001-01-01 00:00:01", 1), ("2000-12-31T23:59:59", -1),
            ("2001-01-01T00:00:00.5", 0.5), ("2000-12-31T23:59:59.75Z", -0.25), ("2001-01-01T01:00+01:00", 0),
            ("2001-01-01T01:30+0130", 0), ("2000-12-31T19:00:00.25-05:00", 0.25), ("1970-01-01", -978_307_200),
            ("2024-02-29", 730_857_600), ("0000-03-01", -63_140_342_400), ("9999-12-31T23:59:59Z", 252_423_993_599),
            ("2001-01-01t00:00:01z", 1),
        ] as [(String, Double)])
    func `a day or a time is so many seconds from 2001`(_ text: String, _ seconds: Double) {
        #expect(DateText.seconds(of: text) == seconds)
    }

    @Test func `every day of 800 years is the one after the day before`() {
        var expected = Double(-400 * 365 - 97) * 86_400
        for year in 1601...2400 {
            for month in 1...12 {
                for day in 1...31 {
                    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
                    guard let seconds = DateText.seconds(of: "\(year)-\(two(month))-\(two(day))") else {
                        #expect(day > 28)
                        continue
                    }
                    #expect(seconds == expected)
                    expected += 86_400
                }
            }
        }
        #expect(expected == Double(400 * 365 + 97) * 86_400)
    }

    @Test(arguments: [
        "", "2001", "2001-01", "2001-1-1", "2001-01-01T", "2001-01-01 ", "2001-01-01T1:00", "2001-01-01T00",
        "2001-01-01x",
        "2001-01-01T00:00:", "2001-01-01T00:00:00.", "2001-01-01T00:00.5", "2001-01-01T00:00zz", "2001-01-01T00:00+1",
        "2001-01-01T00:00+01:0", "2001-01-01T00:00ZZ", "2001-02-29", "1900-02-29", "2001-04-31", "2001-01-32",
        "2001-01-01T24:00", "２001-01-01", "2001-01-01\0", "-001-01-01",
    ])
    func `anything else is no date`(_ text: String) {
        #expect(DateText.seconds(of: text) == nil)
    }
}
