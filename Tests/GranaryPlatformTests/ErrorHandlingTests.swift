import Foundation
import Testing

@testable import GranaryPlatform

struct ErrorHandlingTests {
    /// The names of the codes in the source that declares them.
    private static func codes() throws -> [String] {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let file = here.appending(path: "../../Sources/GranaryPlatform/GranaryError.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        return source.matches(of: /Code\(rawValue: "([A-Za-z]+)"\)/).map { String($0.1) }
    }

    @Test func `each code is decided`() throws {
        let codes = try Self.codes()
        #expect(codes.count > 30)
        #expect(Set(codes) == Set(GranaryError.Code.handling.keys.map(\.rawValue)))
    }

    @Test func `who can do something about an error`() {
        func error(_ code: GranaryError.Code) -> GranaryError { GranaryError(code, "No message.") }
        let retryable = GranaryError.Code.handling.keys.filter { error($0).isRetryable }
        #expect(Set(retryable) == [.busy, .mergeConflict])
        let callers = GranaryError.Code.handling.keys.filter { error($0).isCallersMistake }
        #expect(
            Set(callers) == [
                .uniqueness, .required, .range, .danglingReference, .deniedDeletion, .recordNotFound, .invalidRecord,
                .unknownEntity, .unknownAttribute, .typeMismatch, .invalidQuery, .invalidInput, .limit, .overflow,
            ])
        #expect(Set(retryable).isDisjoint(with: callers))
        let other = error(.init(rawValue: "codeOfAnotherStore"))
        #expect(!other.isRetryable && !other.isCallersMistake)
    }
}
