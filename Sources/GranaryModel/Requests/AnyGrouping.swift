/// The grouping of rows and the values chosen of each group, by names.
public struct AnyGrouping: Sendable, Hashable {
    public var groups: [AnyExpression]
    public var columns: [AnyExpression]
    public var having: AnyCondition?
    public var order: [Ordering] = []
    public var limit: Int?
    public var offset = 0

    public init(by groups: [AnyExpression], columns: [AnyExpression]) {
        self.groups = groups
        self.columns = columns
    }
}
