/// Where a stack keeps its main context.
final class MainContext: Sendable {
    @MainActor var context: EditContext?

    init() {}
}
