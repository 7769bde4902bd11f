#if os(Linux)
    import FaultShim
    import Glibc

    /// A process forked from this one, which must have a single thread.
    struct Child {
        let process: pid_t

        /// After how many seconds a child that works alone counts as hanging.
        // Set once, before the first child.
        nonisolated(unsafe) static var patience: UInt32 = 10

        /// How a process ended.
        enum End: Equatable, CustomStringConvertible {
            case exited(Int32), signal(Int32)

            /// The deadline's signal ends a process that hangs.
            var isHang: Bool { self == .signal(SIGALRM) }
            /// What no store may do to its process.
            var isCrash: Bool {
                switch self {
                case .exited(let code): code != 0
                case .signal(let number): number != SIGKILL && number != SIGALRM
                }
            }
            var description: String {
                switch self {
                case .exited(let code): "exit \(code)"
                case .signal(SIGALRM): "hang"
                case .signal(let number): "signal \(number)"
                }
            }
        }

        /// - Parameter deadline: In seconds. A child that runs longer counts as hanging and is ended.
        init(deadline: UInt32, _ body: () -> Void) throws {
            let process = faults_fork()
            guard process >= 0 else { throw HarnessError("fork failed: \(errno)") }
            if process == 0 {
                alarm(deadline)
                // A crash is to end the process, at once and without a report.
                for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE] { signal(number, SIG_DFL) }
                var none = rlimit()
                setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
                body()
                _exit(0)
            }
            self.process = process
        }

        func kill() { Glibc.kill(process, SIGKILL) }

        /// Whether it has not ended. Its end is left for ``wait()``.
        var isRunning: Bool {
            var info = siginfo_t()
            return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == 0
        }

        func wait() -> End {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .signal(status & 0x7F)
        }

        static func run(deadline: UInt32 = patience, _ body: () -> Void) throws -> End {
            try Child(deadline: deadline, body).wait()
        }
    }
#endif
