import ArgumentParser
import GranaryTool

@main enum Granary {
    static func main() async { await GranaryCommand.main() }
}
