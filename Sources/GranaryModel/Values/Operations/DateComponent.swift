/// A part of a date in the Gregorian calendar, also for dates before its introduction, at a fixed offset from UTC.
///
/// It does not depend on the user's calendar, time zone or language, so the same query finds the same records
/// everywhere.
public enum DateComponent: String, Sendable, Hashable, Codable, CaseIterable {
    /// The astronomical year: 0 is 1 BC, -1 is 2 BC.
    case year
    /// 1...12.
    case month
    /// The day of the month, 1...31.
    case day
    case hour, minute, second
    /// 1 is Monday and 7 Sunday, as in ISO 8601.
    case weekday
    /// 1...366.
    case dayOfYear
    /// The week of ISO 8601, 1...53: week 1 has the year's first Thursday.
    case weekOfYear
    /// The year to which ``weekOfYear`` belongs. It differs from ``year`` for some days around New Year.
    case yearForWeekOfYear
    /// 1...4.
    case quarter
}

/// A component of a date given as stored: seconds since 2001-01-01 00:00:00 UTC.
///
/// A fraction belongs to the second that has begun, also before 2001: -0.5 is 23:59:59 of the previous day.
///
/// - Parameter offset: Seconds to add to UTC, east positive.
/// - Returns: nil for infinities, NaN, and seconds or offsets beyond ±10^15 (some 31 million years).
package func component(_ component: DateComponent, of secondsSince2001: Double, offset: Int) -> Int64? {
    let limit: Int64 = 1_000_000_000_000_000
    guard abs(secondsSince2001) <= Double(limit), offset.magnitude <= UInt64(limit) else { return nil }
    let seconds = Int64(secondsSince2001.rounded(.down)) + Int64(offset)
    let (day, secondOfDay) = dividedDown(seconds, by: 86_400)
    switch component {
    case .hour: return secondOfDay / 3600
    case .minute: return secondOfDay / 60 % 60
    case .second: return secondOfDay % 60
    case .weekday: return weekday(day)
    case .year: return CivilDay(day).year
    case .month: return CivilDay(day).month
    case .day: return CivilDay(day).day
    case .dayOfYear: return CivilDay(day).dayOfYear
    case .quarter: return (CivilDay(day).month - 1) / 3 + 1
    case .weekOfYear: return (CivilDay(thursday(of: day)).dayOfYear - 1) / 7 + 1
    case .yearForWeekOfYear: return CivilDay(thursday(of: day)).year
    }
}

/// The first day of 2001 was a Monday.
private func weekday(_ day: Int64) -> Int64 { dividedDown(day, by: 7).remainder + 1 }

/// The Thursday in the same week, which runs from Monday to Sunday: its year is the week's year.
private func thursday(of day: Int64) -> Int64 { day - weekday(day) + 4 }

/// Quotient toward minus infinity and remainder of 0 ..< divisor.
private func dividedDown(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

/// Year, month and day of a day counted from 2001-01-01.
///
/// Years begin on 1 March, so that the leap day is the last day of its year. Then 400 years have 146 097 days. They
/// consist of centuries of 36 524 days, groups of four years of 1 461 days, and years of 365 days. The last one of each
/// group is a day longer if it contains a leap day.
private struct CivilDay {
    let year: Int64
    let month: Int64
    let day: Int64
    let dayOfYear: Int64

    init(_ dayOf2001: Int64) {
        // 306 days from 1 March 2000 to 1 January 2001.
        let (cycle, dayOfCycle) = dividedDown(dayOf2001 + 306, by: 146_097)
        let century = min(dayOfCycle / 36_524, 3)
        let dayOfCentury = dayOfCycle - century * 36_524
        let fourYears = dayOfCentury / 1461
        let dayOfFour = dayOfCentury - fourYears * 1461
        let single = min(dayOfFour / 365, 3)
        let dayFromMarch = dayOfFour - single * 365
        let yearFromMarch = 2000 + cycle * 400 + century * 100 + fourYears * 4 + single
        // From March on, each group of five months has 31, 30, 31, 30, 31 days: 153.
        let monthFromMarch = (5 * dayFromMarch + 2) / 153
        day = dayFromMarch - (153 * monthFromMarch + 2) / 5 + 1
        let isAfterNewYear = monthFromMarch >= 10
        month = isAfterNewYear ? monthFromMarch - 9 : monthFromMarch + 3
        year = isAfterNewYear ? yearFromMarch + 1 : yearFromMarch
        let isFourth = year % 4 == 0
        let isCentury = year % 100 == 0
        let isLeapYear = isFourth && (!isCentury || year % 400 == 0)
        dayOfYear = isAfterNewYear ? dayFromMarch - 305 : dayFromMarch + (isLeapYear ? 61 : 60)
    }
}
