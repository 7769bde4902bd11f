extension FileSystem {
    /// - Throws: `unsupported` if the path is on a network file system: no store in files works there.
    package static func refuseNetwork(_ path: String) throws(GranaryError) {
        guard try isOnNetwork(path) else { return }
        throw GranaryError(
            .unsupported,
            "\(path) is on a network file system, where the locks and memory maps of a store do not work. Keep the store on a local disk."
        )
    }

    /// Whether the path is on a network file system (NFS, SMB, 9p and the like). There, locks and memory maps do not
    /// protect a store from other machines. False if the system does not tell.
    static func isOnNetwork(_ path: String) throws(GranaryError) -> Bool {
        #if canImport(Darwin)
            var raw = statfs()
            _ = try posixCall("ask for the file system of", path) { statfs(path, &raw) }
            return raw.f_flags & UInt32(MNT_LOCAL) == 0
        #else
            // The system's table of mounts has the type as a word, also for user-space file systems ("fuse.sshfs").
            // statfs(2) has only a number, one for all of FUSE, and is not in Swift's Glibc module.
            guard let device = try status(path)?.device,
                let table = try? OpenFile("/proc/self/mountinfo", .reading).readAll(limit: 4 << 20)
            else { return false }
            return isOnNetwork(device: device, mounts: String(decoding: table, as: UTF8.self))
        #endif
    }

    /// Finds a device in the text of `/proc/self/mountinfo` (`proc(5)`). Fields are separated by spaces: the third is
    /// `major:minor`, the one after a lone `-` is the type.
    static func isOnNetwork(device: UInt64, mounts: String) -> Bool {
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        let number = "\(major):\(minor)".utf8
        for line in mounts.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count > 2, fields[2].elementsEqual(number),
                let dash = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual("-".utf8) }),
                dash + 1 < fields.count
            else { continue }
            if networkTypes.contains(String(decoding: fields[dash + 1], as: UTF8.self)) { return true }
        }
        return false
    }

    static let networkTypes: Set<String> = [
        "9p", "afs", "beegfs", "ceph", "cifs", "coda", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
        "gfs2", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs", "virtiofs",
    ]
}
