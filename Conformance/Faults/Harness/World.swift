import Foundation
import GranaryCore

/// What the store should hold: the model that a store's content is compared with.
///
/// A writer's steps are a function of the seed, the step's number and what the steps before have made, so that anyone who
/// knows which steps were committed knows the content. Each writer has keys and names of its own.
struct World: Equatable {
    var accounts: [Int64: Account] = [:]
    var entries: [Int64: Entry] = [:]
    var progress: [Int64: Int64] = [:]

    static let schema = Schema(Account.self, Entry.self, Progress.self)
    static let keysPerWriter: Int64 = 1 << 40

    init() {}

    /// All that a store holds.
    init(_ context: ReadContext) throws {
        for account in try context.fetch(Account.all) { accounts[account.id] = account }
        for entry in try context.fetch(Entry.all) { entries[entry.id] = entry }
        for line in try context.fetch(Progress.all) { progress[line.id] = line.step }
    }

    /// What writers wrote who have nothing in common.
    mutating func add(_ other: World) {
        accounts.merge(other.accounts) { $1 }
        entries.merge(other.entries) { $1 }
        progress.merge(other.progress) { $1 }
    }

    enum Change: Sendable {
        case insertAccount(Account), insertEntry(Entry), updateAccount(Account), deleteAccount(Int64), deleteEntry(
            Int64)
        case progress(Progress)
    }

    /// The changes of one step of a writer. `self` holds what this writer has written, alone.
    func changes(seed: UInt64, step: Int, writer: Int64) -> [Change] {
        var numbers = SeededNumbers(seed &* 1_000_003 &+ UInt64(step) &* 31 &+ UInt64(writer))
        var changes: [Change] = []
        let keys = accounts.keys.sorted()
        let base = writer * World.keysPerWriter + Int64(step) * 100
        let isBig = step % 5 == 3
        for number in 0..<Int64(isBig ? 4 : 1 + numbers.below(2)) {
            let length = isBig ? 3000 + numbers.below(6000) : numbers.below(300)
            changes.append(
                .insertAccount(
                    Account(
                        id: base + number, name: "account \(base + number)",
                        note: World.text(length, &numbers), total: Int64(numbers.below(1000)),
                        picture: World.picture(&numbers))))
            for entry in 0..<Int64(1 + numbers.below(3)) {
                let other = keys.isEmpty ? nil : Ref<Account>(keys[numbers.below(keys.count)])
                changes.append(
                    .insertEntry(
                        Entry(
                            id: base + number * 10 + entry, account: Ref(base + number), other: other,
                            amount: Int64(numbers.below(100)))))
            }
        }
        for key in keys where numbers.below(3) == 0 {
            guard var account = accounts[key] else { continue }
            account.total += 1
            if numbers.below(2) == 0 { account.note = World.text(numbers.below(500), &numbers) }
            if numbers.below(3) == 0 { account.picture = World.picture(&numbers) }
            changes.append(.updateAccount(account))
        }
        for key in entries.keys.sorted() where numbers.below(8) == 0 { changes.append(.deleteEntry(key)) }
        // The store stays small, so that a trial stays short.
        for key in keys where numbers.below(keys.count > 14 ? 3 : 9) == 0 { changes.append(.deleteAccount(key)) }
        changes.append(.progress(Progress(id: writer, step: Int64(step))))
        return changes
    }

    mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .insertAccount(let account), .updateAccount(let account): accounts[account.id] = account
            case .insertEntry(let entry): entries[entry.id] = entry
            case .deleteEntry(let key): entries[key] = nil
            case .progress(let line): progress[line.id] = line.step
            case .deleteAccount(let key):
                accounts[key] = nil
                entries = entries.filter { $0.value.account.key != key }
                for (id, entry) in entries where entry.other?.key == key { entries[id]?.other = nil }
            }
        }
    }

    static func perform(_ changes: [Change], in context: Context) throws {
        for change in changes {
            switch change {
            case .insertAccount(let account): try context.insert(account)
            case .insertEntry(let entry): try context.insert(entry)
            case .updateAccount(let account): try context.update(account)
            case .deleteAccount(let key): try context.delete(Account.self, key)
            case .deleteEntry(let key): try context.delete(Entry.self, key)
            case .progress(let line): try context.upsert(line)
            }
        }
    }

    /// One of a few contents, so that records share them, or nil.
    private static func picture(_ numbers: inout SeededNumbers) -> Data? {
        let content = numbers.below(6)
        return content == 0 ? nil : Data(repeating: UInt8(content), count: 60 * content)
    }

    static func picture(ofStep step: Int) -> Data { Data(repeating: UInt8(step % 6 + 1), count: 120) }

    private static func text(_ length: Int, _ numbers: inout SeededNumbers) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        while bytes.count < length {
            var word = numbers.next()
            for _ in 0..<min(8, length - bytes.count) {
                bytes.append(letters[Int(word & 0xFF) % letters.count])
                word >>= 8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How this differs from what was expected, in a few words; without values.
    func difference(from expected: World) -> String {
        if progress != expected.progress { return "progress is \(progress) and not \(expected.progress)" }
        if accounts != expected.accounts {
            let wrong = Set(accounts.keys).union(expected.accounts.keys).filter {
                accounts[$0] != expected.accounts[$0]
            }
            return "accounts \(wrong.sorted().prefix(5)) differ"
        }
        if entries != expected.entries {
            let wrong = Set(entries.keys).union(expected.entries.keys).filter { entries[$0] != expected.entries[$0] }
            return "entries \(wrong.sorted().prefix(5)) differ"
        }
        return "the same"
    }
}

/// Numbers that a seed determines (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func below(_ limit: Int) -> Int { limit <= 0 ? 0 : Int(next() % UInt64(limit)) }
}
