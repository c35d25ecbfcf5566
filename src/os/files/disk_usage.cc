#include "os/files/disk_usage.h"

#include <fts.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <set>

namespace muster::os {
namespace {

constexpr std::uint64_t kBlock = 512;  // of stat's, whatever the file system's own is

}  // namespace

std::uint64_t disk_usage(const std::string& path, const std::atomic<bool>& stop) {
    std::string top = path;
    char* const tops[] = {top.data(), nullptr};
    FTS* const tree = ::fts_open(tops, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, nullptr);
    if (!tree) return 0;
    std::uint64_t blocks = 0;
    std::set<ino_t> seen;
    // Read before it is asked whether to stop: what was opened and never read from, fts_close does not free.
    for (const FTSENT* entry; (entry = ::fts_read(tree)) && !stop;) {
        const auto kind = entry->fts_info;
        // A directory is met twice.
        if (kind == FTS_DP || kind == FTS_NS || kind == FTS_NSOK || kind == FTS_ERR) continue;
        const struct stat& about = *entry->fts_statp;
        if (kind != FTS_D && about.st_nlink > 1 && !seen.insert(about.st_ino).second) continue;
        blocks += static_cast<std::uint64_t>(about.st_blocks);
    }
    ::fts_close(tree);
    return blocks * kBlock;
}

std::uint64_t disk_size(const std::string& path) {
    struct statvfs figures;
    if (::statvfs(path.c_str(), &figures) != 0) return 0;
    return std::uint64_t{figures.f_blocks} * figures.f_frsize;
}

}  // namespace muster::os
