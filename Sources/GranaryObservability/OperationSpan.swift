import GranaryCore
import Tracing

/// The span of a read or write.
struct OperationSpan: Sendable {
    let span: any Span
    /// When it began, in nanoseconds since 1970.
    let begin: UInt64

    /// Ends the span, and adds those of a write's parts, which are known at the end.
    func end(_ operation: StackOperation, _ outcome: OperationOutcome, _ tracer: any Tracer) {
        span.attributes["granary.rows"] = outcome.rows
        if let commit = outcome.commit {
            span.attributes["granary.records"] = commit.records
            span.attributes["granary.commit.writes"] = commit.writes
        }
        if let code = outcome.errorCode {
            span.attributes["error.type"] = code
            // The text of an error of the program may hold anything.
            span.setStatus(SpanStatus(code: .error, message: code))
        }
        if operation.kind == .write {
            let bodyEnd = outcome.waited + outcome.body
            part("granary.wait", from: .zero, to: outcome.waited, tracer)
            if outcome.body > .zero { part("granary.body", from: outcome.waited, to: bodyEnd, tracer) }
            if let commit = outcome.commit {
                part("granary.commit", from: bodyEnd, to: bodyEnd + commit.duration, tracer)
            }
        }
        span.end(at: instant(outcome.total))
    }

    private func part(_ name: String, from start: Duration, to end: Duration, _ tracer: any Tracer) {
        let part = tracer.startSpan(name, context: span.context, ofKind: .internal, at: instant(start))
        part.end(at: instant(end))
    }

    private func instant(_ offset: Duration) -> DefaultTracerClock.Timestamp {
        DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin &+ UInt64(max(0, offset.nanoseconds)))
    }
}
