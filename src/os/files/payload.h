// A directory of small files that changes as a whole while others read it: the files stand in a directory of their own,
// `..data` is a link to it that is moved to the next, and each name links through `..data`. Also what else a volume
// needs on disk. None of it is synced: a machine that loses power loses its processes, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::os {

struct PayloadFile {
    std::string path{};  // relative, without dots; "certs/a.pem" is fine
    std::string content{};
    std::uint32_t mode = 0644;
    std::optional<std::int64_t> user{};   // ours otherwise
    std::optional<std::int64_t> group{};  // ours otherwise
    bool operator==(const PayloadFile&) const = default;
};

// Makes the directory hold exactly these. What is the same already is left alone. On failure the old content stands.
Result<> write_payload(const std::string& directory, const std::vector<PayloadFile>& files, std::uint64_t version);

// Makes it with exactly this mode, and those above it for us alone; one that is there is left as it is. A group that is
// given owns it, and what is made in it; an owner that is given owns it.
struct DirectoryOwner {
    std::int64_t user = 0;
    std::int64_t group = 0;
};
Result<> make_volume_directory(const std::string& path, std::uint32_t mode, std::optional<std::int64_t> group,
                               std::optional<DirectoryOwner> owner = {});
// What the path is: "directory", "file", "socket", "character device", "block device", "other"; kNotFound.
Result<std::string> kind_of_file(const std::string& path);
// What tells one state of a file from another: its place, size and time of change, in letters fit for a name.
Result<std::string> file_stamp(const std::string& path);
// What tells one file from another, whatever is in it.
Result<std::string> file_place(const std::string& path);
Result<> rename_file(const std::string& from, const std::string& to);
// For hostPath's types: with the modes that a kubelet uses.
Result<> create_host_directory(const std::string& path);
Result<> create_host_file(const std::string& path);

// A file system in memory of at most that many bytes (0: half of the machine's), unless something is mounted there
// already.
Result<> mount_memory(const std::string& path, std::uint64_t size_max, std::uint32_t mode,
                      std::optional<std::int64_t> group, std::optional<DirectoryOwner> owner = {});
// Removes a directory with all that is in it, after what is mounted below its `volumes`. Links are not followed, and
// where a mount does not go, what is below it stays.
Result<> remove_volumes(const std::string& pod_directory);

}  // namespace muster::os
