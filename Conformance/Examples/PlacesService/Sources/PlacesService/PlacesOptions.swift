package import Granary
package import Logging

/// What a service of places is started with.
package struct PlacesOptions: Sendable {
    package var store: StoreAddress
    package var host = "127.0.0.1"
    /// 0 for a free port.
    package var port = 8080
    /// How many requests may wait for the store, and for how long. More are answered with the status 503.
    package var limits = StackLimits(readers: 8, waitingReads: 1_000, waitingWrites: 10_000, wait: .seconds(5))
    package var logger: Logger

    package init(store: StoreAddress, logger: Logger) {
        (self.store, self.logger) = (store, logger)
    }
}
