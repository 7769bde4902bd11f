import Foundation
import HTTPTypes
import PlacesClient

/// One connection of the load test. It sends its next request when it has the answer to the one before. Which request is
/// the next one follows from its number, so each run asks the same.
struct LoadClient {
    let number: Int
    let writes: Int
    let places: Int
    private var figures = Figures()
    private var step = 0

    init(number: Int, writes: Int, places: Int) {
        (self.number, self.writes, self.places) = (number, writes, places)
    }

    mutating func run(port: Int, until deadline: ContinuousClock.Instant) async throws -> Figures {
        let client = self
        figures = try await HTTPConnection.open(port: port) { connection in
            var client = client
            while ContinuousClock.now < deadline {
                // Every number from 0 to 99 comes once in a hundred steps.
                let isWrite = (client.step * 37 + client.number) % 100 < client.writes
                if isWrite { try await client.write(&connection) } else { try await client.read(&connection) }
                client.step += 1
            }
            return client.figures
        }
        return figures
    }

    /// Most reads find a place by its id; some ask for a page, some search for words, some for what is near.
    private mutating func read(_ connection: inout HTTPConnection) async throws {
        let some = (step * 7_919 + number * 104_729) % places + 1
        let path =
            switch step % 10 {
            case 0: "/places?country=\(Self.country(some))&limit=20"
            case 1: "/places?name=\(some)&limit=10"
            case 2: "/nearest?latitude=\(Self.latitude(some))&longitude=\(Self.longitude(some))&within=20&limit=10"
            default: "/places/\(some)"
            }
        let start = ContinuousClock.now
        let reply = try await connection.send(.get, path)
        figures.reads.append(ContinuousClock.now - start)
        if reply.status != 200 { figures.errors[reply.status, default: 0] += 1 }
    }

    /// Every other write is a new place; the rest replace a place that belongs to this connection alone.
    private mutating func write(_ connection: inout HTTPConnection) async throws {
        let name = "Connection \(number) step \(step)"
        let owned = number + 1 + (step / 2) % max(1, places / 1_000) * 1_000
        let isNew = step % 2 == 0 || owned > places
        let (method, path): (HTTPRequest.Method, String) =
            isNew ? (.post, "/places") : (.put, "/places/\(owned)")
        let body = Self.body(id: nil, name: name, number: step)
        let start = ContinuousClock.now
        let reply = try await connection.send(method, path, body)
        figures.writes.append(ContinuousClock.now - start)
        guard reply.status == (isNew ? 201 : 200) else {
            figures.errors[reply.status, default: 0] += 1
            return
        }
        let answer = try Self.written(reply.body)
        figures.written[answer.id] = answer.written
    }

    /// The parts of an answer that the check compares.
    static func written(_ body: String) throws -> (id: Int64, written: Figures.Written) {
        struct Answer: Decodable {
            var id: Int64
            var name: String
            var version: Int
        }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(body.utf8))
        return (answer.id, Figures.Written(name: answer.name, version: answer.version))
    }

    // The places of the test, by their numbers: spread over the earth and over 100 countries.
    static func country(_ number: Int) -> String {
        func letter(_ place: Int) -> String { String(UnicodeScalar(UInt8(ascii: "A") + UInt8(place % 10))) }
        return letter(number) + letter(number / 10)
    }

    static func latitude(_ number: Int) -> Double { Double(number * 7_919 % 160_000) / 1_000 - 80 }
    static func longitude(_ number: Int) -> Double { Double(number * 104_729 % 360_000) / 1_000 - 180 }

    static func body(id: Int64?, name: String, number: Int) -> String {
        let key = id.map { "\"id\":\($0)," } ?? ""
        return """
            {\(key)"name":"\(name)","country":"\(country(number))","latitude":\(latitude(number)),\
            "longitude":\(longitude(number)),"population":\(number * 31 % 1_000_000),"timeZone":"Etc/UTC"}
            """
    }
}
