@testable import GranaryStoreKit
import Testing

struct KeptAnswersTests {
    @Test func `an answer is kept for each key, text and nil too`() {
        let kept = KeptAnswers()
        #expect(kept.answer(for: .integer(1)) == nil)
        let values: [StoredValue] = [.text(Array("newest".utf8)), .null, .real(-0.0), .integer(7)]
        for (key, value) in values.enumerated() {
            value.withCell { _ = kept.keep($0, for: .integer(Int64(key))) }
        }
        let found = (0..<4).map { kept.answer(for: .integer(Int64($0))).map { StoredValue($0) } }
        #expect(found == values)
        #expect(kept.answer(for: .real(1)) == nil, "a key of another kind")
    }

    @Test func `with no more room all answers are forgotten, and new ones are kept`() {
        let kept = KeptAnswers(mostBytes: 100_000)
        for key in 0..<100_000 {
            #expect(kept.keep(.integer(Int64(key) * 2), for: .integer(Int64(key))).integerValue == Int64(key) * 2)
        }
        #expect(kept.count < 10_000)
        #expect(kept.answer(for: .integer(99_999))?.integerValue == 199_998)
        #expect(kept.answer(for: .integer(0)) == nil)
    }
}
