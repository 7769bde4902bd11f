/// The address space of this process.
package enum AddressSpace {
    /// How many bytes of addresses this process may use; nil if no relevant limit exists.
    package static var limit: Int? {
        #if canImport(Glibc)
            // Glibc has its own type for the names of limits.
            let name = __rlimit_resource_t(RLIMIT_AS.rawValue)
        #else
            let name = RLIMIT_AS
        #endif
        var limit = rlimit()
        // No machine has this much memory; "unlimited" is a greater number.
        guard getrlimit(name, &limit) == 0, limit.rlim_cur < 1 << 50 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
