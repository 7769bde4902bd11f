import GranaryCore
import GranaryPlatform

/// A text or number form of dates. No format depends on a locale, a calendar or a time zone of the device.
///
/// | format | accepts | writes |
/// |---|---|---|
/// | ``rfc3339`` | `2024-05-01T12:30:45.123Z`, also a blank for the `T`, without seconds, fraction or zone, and a date alone; without a zone it is UTC | `2024-05-01T12:30:45.123Z` |
/// | ``secondsSince1970`` | a number, or a string with a number | a number |
/// | ``millisecondsSince1970`` | the same | a number |
/// | ``dotNet`` | `/Date(1388349427543+0100)/`, whose zone is ignored | `/Date(1388349427543)/` |
/// | ``pattern(_:)`` | text in the form of the pattern; English names, and UTC unless it has a zone | the same |
///
/// The letters of a pattern, as in Unicode's date format patterns: `y` `M` `d` `E` `a` `H` `h` `m` `s` `S` `Z` `X` `z`.
/// Text stands between single quotes; characters that are not letters stand for themselves. The number of repetitions
/// of a number letter is its least number of digits.
public enum ImportDateFormat: Sendable, Hashable {
    case rfc3339
    case secondsSince1970
    case millisecondsSince1970
    case dotNet
    case pattern(String)

    /// The formats that are accepted by default; the first matching one counts, and numbers are seconds since 1970.
    ///
    /// RFC 3339, RFC 1123, RFC 850, asctime, .NET, and numbers. A string with a number needs at least nine digits
    /// before the point, because a shorter one may be anything, such as a year. A value that may mean two dates is
    /// refused: a date with slashes, whose day or month may come first; a number such as `20240501`, which may be a
    /// day; and a whole number that as seconds lies outside the years 0 to 9999, as milliseconds do. Give their format
    /// with ``ImportMapping/dates(_:for:)``.
    public static let standard: [ImportDateFormat] = [
        .rfc3339, .pattern("EEE, dd MMM yyyy HH:mm:ss z"),
        .pattern("EEEE, dd-MMM-yy HH:mm:ss z"), .pattern("EEE MMM d HH:mm:ss yyyy"), .dotNet, .secondsSince1970,
    ]
}

extension ImportDateFormat {
    /// The seconds since 2001 of a number; nil if this is not a format of numbers.
    func seconds(ofNumber number: Double) -> Double? {
        let seconds: Double? =
            switch self {
            case .secondsSince1970: number - Date.timeIntervalBetween1970AndReferenceDate
            case .millisecondsSince1970: number / 1000 - Date.timeIntervalBetween1970AndReferenceDate
            case .rfc3339, .dotNet, .pattern: nil
            }
        return seconds.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The seconds since 2001 of a text; nil if the text is not in this format.
    func seconds(of text: String) -> Double? {
        switch self {
        case .rfc3339: return DateText.seconds(of: text)
        case .secondsSince1970, .millisecondsSince1970:
            var text = text
            return text.withUTF8 { NumberText(UnsafeRawBufferPointer($0))?.real }.flatMap(seconds(ofNumber:))
        case .dotNet:
            guard text.hasPrefix("/Date("), text.hasSuffix(")/") else { return nil }
            let inner = text.dropFirst(6).dropLast(2)
            // The offset after the sign does not change the time.
            let end = inner.dropFirst().firstIndex { $0 == "+" || $0 == "-" } ?? inner.endIndex
            let digits = inner[..<end]
            return Double(digits).flatMap(ImportDateFormat.millisecondsSince1970.seconds(ofNumber:))
        case .pattern(let pattern): return DatePattern(pattern).seconds(of: text)
        }
    }
}
