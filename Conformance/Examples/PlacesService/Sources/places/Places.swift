import ArgumentParser

@main struct Places: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places", abstract: "A service of places over HTTP, and its load test.",
        subcommands: [Serve.self, Load.self])
}
