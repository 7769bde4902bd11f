import CoreMetrics
import Hummingbird

/// Counts and times requests by method, route and status. The route is the pattern, `/places/{id}`, not the path: each
/// value of a dimension is a series of its own.
struct RequestMetrics: RouterMiddleware {
    typealias Context = PlacesContext

    let factory: any MetricsFactory

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let route = [("method", request.method.rawValue), ("route", context.endpointPath ?? "unknown")]
        Counter(
            label: "http_requests", dimensions: route + [("status", "\(response.status.code)")], factory: factory
        ).increment()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        Timer(label: "http_request_duration", dimensions: route, factory: factory)
            .recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        return response
    }
}
