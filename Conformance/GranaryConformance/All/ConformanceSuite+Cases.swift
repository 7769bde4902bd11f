import ConformanceKit
import ContextCases
import ExportCases
import ImportCases
import LifecycleCases
import ObservationCases
import PartCases
import QueryCases
import RecordCases
import RelationshipCases
import SearchCases
import TransactionCases
import ValueCases

extension ConformanceSuite {
    /// Every case of every area, in the order in which they are run.
    public static let cases: [ConformanceCase] = [
        values, records, transactions, queries, searching, relationships, contexts, observation, lifecycle, inParts,
        importing,
        exporting,
    ].flatMap(\.self)
}
