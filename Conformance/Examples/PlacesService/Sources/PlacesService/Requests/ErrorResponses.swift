import Granary
import HTTPTypes
import Hummingbird
import Logging

/// Answers requests that fail: an error of Granary with the status that its code means, an error of Hummingbird with its
/// own status, and any other error with 500. Every answer has the number of the request, which is also in the log.
struct ErrorResponses: RouterMiddleware {
    typealias Context = PlacesContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as GranaryError {
            response = try answer(error, request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        } catch {
            context.logger.error("\(request.method) \(request.uri.path) failed: \(error)")
            response = try HTTPError(.internalServerError, message: "The service has failed.")
                .response(from: request, context: context)
        }
        // `context.id` must not be used: it ends the process if the log handler keeps no metadata.
        if let name = HTTPField.Name("X-Request-ID"), let id = context.logger[metadataKey: "hb.request.id"] {
            response.headers[name] = "\(id)"
        }
        return response
    }

    private func answer(_ error: GranaryError, _ request: Request, _ context: Context) throws -> Response {
        let status = error.httpStatus
        var answer = ErrorAnswer(error)
        // An error that the client can neither correct nor wait for is one for the operator: its text goes to the log.
        if !error.isCallersMistake && !error.isRetryable {
            context.logger.error("\(request.method) \(request.uri.path) failed: \(error)")
            answer.error.message = "The service has failed."
        }
        var response = try context.responseEncoder.encode(answer, from: request, context: context)
        response.status = status
        if status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
        return response
    }
}

/// `{"error": {"code": "uniqueness", "message": "...", "attributes": ["name"]}}`, as the errors of Hummingbird, which
/// have a message alone.
private struct ErrorAnswer: Encodable {
    struct Described: Encodable {
        var code: String
        var message: String
        var attributes: [String]
    }

    var error: Described

    init(_ error: GranaryError) {
        self.error = Described(code: error.code.rawValue, message: error.message, attributes: error.attributes)
    }
}

extension GranaryError {
    /// The status with which a server answers, by the table of Granary's page "Errors".
    var httpStatus: HTTPResponse.Status {
        switch code {
        case .recordNotFound: .notFound
        case .uniqueness, .deniedDeletion, .mergeConflict: .conflict
        case .required, .range, .danglingReference, .invalidRecord, .invalidInput: .unprocessableContent
        case .full: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        case .cancelled: .gatewayTimeout
        default: isRetryable ? .serviceUnavailable : isCallersMistake ? .badRequest : .internalServerError
        }
    }
}
