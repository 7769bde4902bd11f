import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

#if os(Linux)
    /// What the tool does on a terminal.
    struct TerminalTests {
        /// Runs the tool on a terminal of its own, where a person types something.
        ///
        /// - Parameters:
        ///   - width: How many columns the terminal says that it has.
        ///   - prompt: What the tool is interrupted at, if it shows that.
        private static func run(
            _ arguments: [String], typing text: String, interruptingAt prompt: String? = nil, width: UInt16? = nil
        ) throws -> (status: Int32, screen: String) {
            let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var (number, isLocked): (Int32, Int32) = (0, 0)
            // TIOCSPTLCK and TIOCGPTN.
            let isOpen = ioctl(controller, 0x4004_5431, &isLocked) == 0 && ioctl(controller, 0x8004_5430, &number) == 0
            try #require(isOpen)
            if let width {
                var size = winsize(ws_row: 24, ws_col: width, ws_xpixel: 0, ws_ypixel: 0)
                try #require(ioctl(controller, UInt(TIOCSWINSZ), &size) == 0)
            }
            let name = "/dev/pts/\(number)"
            let terminal = FileHandle(fileDescriptor: open(name, O_RDWR | O_NOCTTY), closeOnDealloc: false)
            let process = Tool.process(arguments)
            process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm", "NO_COLOR": ""]) { $1 }
            process.standardInput = terminal
            process.standardOutput = terminal
            process.standardError = terminal
            try process.run()
            close(terminal.fileDescriptor)
            _ = text.withCString { write(controller, $0, strlen($0)) }
            // Ends with an error once no process has the terminal any more.
            var screen: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            var prompt = prompt
            while case let count = read(controller, &buffer, buffer.count), count > 0 {
                screen += buffer[..<count]
                if let shown = prompt, String(decoding: screen, as: UTF8.self).contains(shown) {
                    kill(process.processIdentifier, SIGINT)
                    prompt = nil
                }
            }
            close(controller)
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: screen, as: UTF8.self))
        }

        @Test func `destroy asks, and only yes is yes`() throws {
            try MusicStore.with(.sqlite) { store throws in
                for answer in ["\n", "n\n", "maybe\n"] {
                    let refused = try TerminalTests.run(["destroy", store.path], typing: answer)
                    #expect(refused.status == 2 && refused.screen.contains("Destroy the store \(store.path)"))
                    #expect(exists(store.path))
                }
                let done = try TerminalTests.run(["destroy", store.path], typing: "y\n")
                #expect(done.status == 0, "\(done.screen)")
                #expect(!exists(store.path))
            }
        }

        @Test func `an interruption while the tool asks ends it with 130, and nothing is done`() throws {
            try MusicStore.with(.sqlite) { store throws in
                let ended = try TerminalTests.run(["destroy", store.path], typing: "", interruptingAt: "[y/N]")
                #expect(ended.status == 130, "\(ended.screen)")
                #expect(exists(store.path))
            }
        }

        @Test func `what is stored is never obeyed by a terminal`() throws {
            try MusicStore.with(.sqlite) { store throws in
                let stack = try store.open()
                let text = "a\u{1B}[2Jb\u{9B}31mc\u{7}\rd"
                try stack.blocking.write(as: text) { try $0.insert(Genre(code: text, name: text)) }
                try stack.blocking.close()
                try MusicStore.with(.lmdb) { other throws in
                    let verbs = [
                        ["query", store.path, "Genre"], ["query", store.path, "Genre", "--csv"],
                        ["query", store.path, "Genre", "--json"], ["get", store.path, "Genre", text],
                        ["diff", store.path, other.path, "--contents"],
                        ["info", store.path + text],
                        ["delete", store.path, "Genre", text],
                    ]
                    for verb in verbs {
                        let screen = try TerminalTests.run(verb, typing: "\n").screen
                        let isObeyed =
                            screen.contains("\u{1B}[2J") || screen.contains("\u{9B}") || screen.contains("\u{7}")
                        #expect(!isObeyed, "\(verb): \(screen.debugDescription)")
                        #expect(screen.contains("1B") || screen.contains("001b"), "\(verb): \(screen.debugDescription)")
                    }
                }
            }
        }

        @Test func `an import shows which share of its files is read`() throws {
            try MusicStore.with(.sqlite) { store throws in
                let lines = (1...20_000).map { "{\"code\":\"g\($0)\",\"name\":\"x\"}\n" }.joined()
                try Data(lines.utf8).write(to: URL(filePath: "\(store.folder)/genres.jsonl"))
                let result = try TerminalTests.run(
                    ["import", store.path, "Genre", "\(store.folder)/genres.jsonl"], typing: "")
                #expect(result.status == 0 && result.screen.contains("inserted"))
                let shares = result.screen.matches(of: /Genre: \[#* *\] \d+ %, \d+/)
                #expect(!shares.isEmpty, "\(result.screen.prefix(200).debugDescription)")
            }
        }

        @Test func `a value is cut where it is longer than the terminal is wide`() throws {
            try MusicStore.with(.sqlite) { store throws in
                let name = String(repeating: "0123456789", count: 10)
                #expect(try Tool.run("set", store.path, "Genre", "rock", "name=\(name)").status == 0)
                for (width, shown) in [(30, 29), (90, 89), (100, 100), (200, 100), (0, 59)] {
                    let screen = try TerminalTests.run(
                        ["query", store.path, "SELECT name FROM Genre"], typing: "", width: UInt16(width)
                    ).screen
                    let line = String(name.prefix(shown)) + (shown < 100 ? "…" : "")
                    #expect(screen.hasSuffix("\r\n\(line)\r\n"), "\(width): \(screen)")
                }
            }
        }

        @Test func `names are bold on a terminal, and nowhere else`() throws {
            try MusicStore.with(.sqlite) { store throws in
                let screen = try TerminalTests.run(["query", store.path, "Genre"], typing: "").screen
                #expect(screen == "\u{1B}[1mcode  name\u{1B}[0m\r\nrock  Rock\r\n")
                #expect(try Tool.run("query", store.path, "Genre").output == "code  name\nrock  Rock\n")
            }
        }
    }
#endif
