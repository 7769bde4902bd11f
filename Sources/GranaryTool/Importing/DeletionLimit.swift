import ArgumentParser
import GranaryCore

/// The most records that a mirroring import may delete: a number, or a percentage of the stored records.
struct DeletionLimit: ExpressibleByArgument, Sendable {
    private let number: Int
    private let isShare: Bool

    init?(argument: String) {
        isShare = argument.hasSuffix("%")
        guard let number = Int(isShare ? String(argument.dropLast()) : argument), number >= 0, !isShare || number <= 100
        else { return nil }
        self.number = number
    }

    /// - Parameters:
    ///   - count: How many records would be deleted.
    ///   - all: How many records the store has.
    ///   - isEmpty: Whether the files have no object.
    /// - Throws: `unconfirmed` if `count` exceeds the limit, or if there is no limit and the files are empty.
    static func check(_ count: Int, of all: Int, _ entity: String, _ limit: DeletionLimit?, isEmpty: Bool) throws {
        guard let limit else {
            guard isEmpty else { return }
            throw GranaryError(
                .unconfirmed,
                "The files have no object, so all \(count) records of \(entity) would be deleted. If that is right, pass --max-delete \(count).",
                entity: entity)
        }
        let most = limit.isShare ? all * limit.number / 100 : limit.number
        guard count > most else { return }
        throw GranaryError(
            .unconfirmed,
            "\(count) of \(all) records of \(entity) would be deleted, and --max-delete allows \(most). --dry-run lists them.",
            entity: entity)
    }
}
