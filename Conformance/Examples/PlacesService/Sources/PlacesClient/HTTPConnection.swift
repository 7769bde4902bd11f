package import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix

/// One connection to a server of HTTP on this machine: it stays open, and has one request after the other.
package struct HTTPConnection {
    private var inbound: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>

    /// Connects, runs the closure and closes the connection.
    package static func open<T: Sendable>(
        port: Int, _ body: (inout HTTPConnection) async throws -> T
    ) async throws -> T {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPClientCodec())
                    return try NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = HTTPConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    /// Sends a request with its body, and waits for the answer.
    package mutating func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil
    ) async throws -> HTTPReply {
        try await begin(method, path, length: body?.utf8.count)
        if let body { try await write(body) }
        return try await end()
    }

    /// Sends the head of a request. ``write(_:)`` and ``end()`` follow.
    ///
    /// - Parameter length: The length of the body in bytes; nil if it has none.
    package func begin(_ method: HTTPRequest.Method, _ path: String, length: Int?) async throws {
        var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: path)
        if let length { head.headerFields[.contentLength] = "\(length)" }
        try await outbound.write(.head(head))
    }

    /// Sends a part of the body.
    package func write(_ text: String) async throws {
        try await outbound.write(.body(ByteBuffer(string: text)))
    }

    /// Ends the request, and waits for the answer.
    package mutating func end() async throws -> HTTPReply {
        try await outbound.write(.end(nil))
        return try await reply()
    }

    private mutating func reply() async throws -> HTTPReply {
        guard case .head(let head) = try await inbound.next() else { throw ConnectionClosed() }
        var body = ByteBuffer()
        while let part = try await inbound.next() {
            switch part {
            case .head: throw ConnectionClosed()
            case .body(var chunk): body.writeBuffer(&chunk)
            case .end:
                return HTTPReply(
                    status: head.status.code, headers: head.headerFields, body: String(buffer: body))
            }
        }
        throw ConnectionClosed()
    }
}
