// Limits memory and processors by the kernel's control groups, version 2 or 1, whichever is mounted and lets us make
// groups. All our groups have one parent, so that a later process of ours finds the groups that are left.
//
// A group's name has one or two parts, "pod/container". The limits of the outer group apply to everything in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::os {

struct CgroupLimits {
    std::optional<std::int64_t> memory_bytes{};
    std::optional<std::int64_t> cpu_milli{};      // thousandths of a processor, at most
    std::optional<std::int64_t> cpu_requested{};  // in thousandths, too: the share when there is not enough for all
    std::optional<std::int64_t> processes{};
    bool empty() const { return !memory_bytes && !cpu_milli && !processes; }
    bool operator==(const CgroupLimits&) const = default;
};

class Cgroups {
public:
    // Where groups can be made: one directory for version 2, one per controller for version 1.
    struct Place {
        bool unified = false;
        std::string memory{};
        std::string cpu{};
        std::string processes{};  // of these two and the last, empty when there is none
        std::vector<std::string> directories() const;
    };
    // kUnavailable, with why, when there is no such place.
    static Result<Place> find_place();

    // `parent` is the name of the one group that all others stand under; it is made with the first of them.
    Cgroups(Place place, std::string parent) : place_(std::move(place)), parent_(std::move(parent)) {}

    // Makes the group, or sets the limits of the one there is.
    Result<> make(const std::string& group, const CgroupLimits& limits) const;
    // The files to which a process writes 0 to be in the group.
    std::vector<std::string> joins(const std::string& group) const;
    // How many processes of the group were killed for want of memory.
    std::int64_t killed_for_memory(const std::string& group) const;
    // Kills what is in the group and in those inside it, and removes them. False when something still is on its way
    // out: then it is to be tried again in a moment. A group that is not there is no error.
    bool remove(const std::string& group) const;
    // The names of the groups in that one, or in the parent.
    std::vector<std::string> list(const std::string& group = {}) const;
    // The parent itself, when nothing is in it.
    void remove_parent() const;

private:
    std::string path(const std::string& directory, const std::string& group) const;
    Result<> limit(const std::string& directory, const std::string& group, const CgroupLimits& limits) const;

    Place place_;
    std::string parent_;
};

// The files to which a process writes 0 to be in the groups of that process; empty when those are ours as well.
std::vector<std::string> cgroup_files(int pid);

// In the kernel's units.
std::int64_t cpu_shares(std::int64_t milli);  // version 1: 2 to 262144, 1024 a processor
std::int64_t cpu_weight(std::int64_t milli);  // version 2: 1 to 10000
std::int64_t cpu_quota(std::int64_t milli);   // microseconds of each tenth of a second, at least 1000

}  // namespace muster::os
