import Foundation
import Testing

@testable import GranaryModel
import TestSupport

struct DateComponentTests {
    /// Components of a day counted from 2001-01-01: year, month, day, weekday, day and week of year, year of the week.
    private static let knownDays: [(Double, [Int64])] = [
        (0, [2001, 1, 1, 1, 1, 1, 2001]),
        (-1, [2000, 12, 31, 7, 366, 52, 2000]),
        (-307, [2000, 2, 29, 2, 60, 9, 2000]),
        (7304, [2020, 12, 31, 4, 366, 53, 2020]),
        (7307, [2021, 1, 3, 7, 3, 53, 2020]),
        (7308, [2021, 1, 4, 1, 4, 1, 2021]),
        (2_921_573, [9999, 12, 31, 5, 365, 52, 9999]),
        (-11_323, [1970, 1, 1, 4, 1, 1, 1970]),
        (-36_891, [1899, 12, 31, 7, 365, 52, 1899]),
        (-109_879, [1700, 3, 1, 1, 60, 9, 1700]),
        (-146_404, [1600, 2, 29, 2, 60, 9, 1600]),
        (-152_750, [1582, 10, 15, 5, 288, 41, 1582]),
        (-152_751, [1582, 10, 14, 4, 287, 41, 1582]),
        (-365_424, [1000, 7, 4, 5, 185, 27, 1000]),
        (-730_485, [1, 1, 1, 1, 1, 1, 1]),
        (-730_486, [0, 12, 31, 7, 366, 52, 0]),
        (-730_792, [0, 2, 29, 2, 60, 9, 0]),
        (-730_852, [-1, 12, 31, 5, 365, 52, -1]),
    ]

    private static let parts: [DateComponent] = [
        .year, .month, .day, .weekday, .dayOfYear, .weekOfYear, .yearForWeekOfYear,
    ]

    @Test func `days of the proleptic Gregorian calendar`() {
        for (day, expected) in DateComponentTests.knownDays {
            for secondOfDay in [0, 43_200, 86_399.75] {
                let found = DateComponentTests.parts.map { component($0, of: day * 86_400 + secondOfDay, offset: 0) }
                #expect(found == expected)
            }
        }
    }

    @Test func `every day of 800 years follows the one before`() {
        let lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var (year, month, day, weekday, dayOfYear) = (Int64(1), Int64(1), Int64(1), Int64(1), Int64(1))
        for index in -730_485..<(-730_485 + 2 * 146_097) {
            let seconds = Double(index) * 86_400
            let found = DateComponentTests.parts.prefix(5).map { component($0, of: seconds, offset: 0) }
            guard found == [year, month, day, weekday, dayOfYear] else {
                Issue.record("day \(index) is \(found), not \([year, month, day, weekday, dayOfYear])")
                return
            }
            let isFourth = year % 4 == 0
            let isCentury = year % 100 == 0
            let isLeapYear = isFourth && (!isCentury || year % 400 == 0)
            weekday = weekday % 7 + 1
            dayOfYear += 1
            day += 1
            if day > lengths[Int(month) - 1] + (month == 2 && isLeapYear ? 1 : 0) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month, dayOfYear) = (year + 1, 1, 1) }
        }
        #expect(year == 801)
    }

    @Test func `a fraction belongs to the second that has begun`() {
        let table: [(Double, [Int64])] = [
            (-0.5, [2000, 23, 59, 59]), (0.999, [2001, 0, 0, 0]), (3661.5, [2001, 1, 1, 1]),
            (-86_400, [2000, 0, 0, 0]), (-1e-9, [2000, 23, 59, 59]),
        ]
        for (seconds, expected) in table {
            #expect([.year, .hour, .minute, .second].map { component($0, of: seconds, offset: 0) } == expected)
        }
    }

    @Test func `an offset moves the clock`() {
        #expect(component(.hour, of: 0, offset: 3600) == 1)
        #expect(component(.hour, of: 0, offset: -1) == 23)
        #expect(component(.year, of: 0, offset: -1) == 2000)
        #expect(component(.minute, of: 0, offset: 19_800) == 30)
    }

    @Test func `quarters have three months`() {
        let firstDays: [Double] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        let quarters = firstDays.map { component(.quarter, of: $0 * 86_400, offset: 0) }
        #expect(quarters == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    }

    @Test func `beyond the calendar is nil`() {
        for part in DateComponent.allCases {
            for seconds in [Double.infinity, -.infinity, .nan, 1.1e15, -1.1e15, 1e300] {
                #expect(component(part, of: seconds, offset: 0) == nil)
            }
            #expect(component(part, of: 0, offset: .max) == nil)
            #expect(component(part, of: 0, offset: .min) == nil)
            #expect(component(part, of: 1e15, offset: 0) != nil)
            #expect(component(part, of: -1e15, offset: 0) != nil)
        }
    }

    @Test func `dates after 1900 are those of the system's calendar`() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 0))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var weeks = Calendar(identifier: .iso8601)
        weeks.timeZone = zone
        let names: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second, .weekday]
        var numbers = SeededNumbers(seed: TestSeed.of(8))
        for _ in 0..<3000 {
            // 1900 to 2500.
            let seconds = Double.random(in: -3_187_296_000...15_746_000_000, using: &numbers).rounded(.down)
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let parts = calendar.dateComponents(names, from: date)
            let week = weeks.dateComponents([.weekOfYear, .yearForWeekOfYear], from: date)
            let weekday = try #require(parts.weekday)
            let expected = [
                parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second, (weekday + 5) % 7 + 1,
                calendar.ordinality(of: .day, in: .year, for: date), week.weekOfYear, week.yearForWeekOfYear,
            ]
            let asked: [DateComponent] = [
                .year, .month, .day, .hour, .minute, .second, .weekday, .dayOfYear, .weekOfYear, .yearForWeekOfYear,
            ]
            let found = asked.map { component($0, of: seconds, offset: 0).map { Int($0) } }
            #expect(found == expected, "\(seconds)")
        }
    }
}
