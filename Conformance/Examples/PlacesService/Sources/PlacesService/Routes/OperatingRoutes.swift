import Granary
import GranaryObservability
import HTTPTypes
import Hummingbird

/// What a load balancer and a system of metrics ask for.
struct OperatingRoutes {
    let stack: Stack
    let granary: GranaryService
    let metrics: MetricsRegistry

    func add(to router: Router<PlacesContext>) {
        router.get("health", use: health)
        router.get("metrics", use: text)
    }

    /// `GET /health`: 200, or 503 if the store cannot be read or written, or is closed.
    private func health(_ request: Request, _ context: PlacesContext) async throws -> EditedResponse<HealthAnswer> {
        let answer: HealthAnswer
        do {
            answer = HealthAnswer(try await stack.health())
        } catch let error as GranaryError where error.code == .closed {
            answer = .closed
        }
        return EditedResponse(status: answer.isHealthy ? .ok : .serviceUnavailable, response: answer)
    }

    /// `GET /metrics`, in the text format of Prometheus.
    private func text(_ request: Request, _ context: PlacesContext) async throws -> EditedResponse<String> {
        granary.collect()
        return EditedResponse(
            headers: [.contentType: PrometheusText.contentType], response: PrometheusText.write(metrics))
    }
}

struct HealthAnswer: ResponseEncodable {
    var isHealthy: Bool
    var reading: String
    var writing: String
    var disk: String
    var waitingReads = 0
    var waitingWrites = 0

    static let closed = HealthAnswer(isHealthy: false, reading: "closed", writing: "closed", disk: "closed")
}

extension HealthAnswer {
    fileprivate init(_ health: StackHealth) {
        self.init(
            isHealthy: health.isHealthy, reading: Self.word(health.reading), writing: Self.word(health.writing),
            disk: Self.word(health.disk), waitingReads: health.gauges.waitingReads,
            waitingWrites: health.gauges.waitingWrites)
    }

    /// A probe gets the code of an error, and the log of the service has its text.
    private static func word(_ finding: StackHealth.Finding) -> String {
        switch finding {
        case .works: "works"
        case .busy: "busy"
        case .readOnly: "readOnly"
        case .fails(let error): error.code.rawValue
        }
    }
}
