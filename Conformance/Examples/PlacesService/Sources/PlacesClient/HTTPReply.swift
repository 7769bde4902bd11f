package import HTTPTypes

package struct HTTPReply: Sendable {
    package var status: Int
    package var headers: HTTPFields
    package var body: String
}

/// The server has closed the connection before the end of its answer.
package struct ConnectionClosed: Error {
    package init() {}
}
