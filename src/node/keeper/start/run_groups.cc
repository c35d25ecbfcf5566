#include "node/keeper/start/run_groups.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/check.h"
#include "os/process/process_setup.h"

namespace muster::node {
namespace {

constexpr Duration kRetryRemoval = 10ms;
constexpr int kRemovalsMax = 3000;

std::string group_name(const RunKey& key) {
    return key.pod_uid.str() + '/' + key.container.str() + '.' + std::to_string(key.attempt);
}

bool wants_groups(const RunRequest& request) { return !request.limits.empty() || !request.pod_limits.empty(); }

}  // namespace

// FNV-1a: the same for the same directory on every machine, and short.
std::string groups_parent(const std::string& directory) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : directory) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, hash, 16).ptr;
    return "muster-" + std::string(digits, end);
}

RunGroups::RunGroups(os::Loop& loop, const std::string& directory, std::function<void()> removed)
    : loop_(loop), removed_(std::move(removed)) {
    auto place = os::Cgroups::find_place();
    if (place.ok()) groups_.emplace(std::move(*place), groups_parent(directory));
}

RunGroups::~RunGroups() {
    if (timer_ != 0) loop_.cancel(timer_);
    if (groups_ && limited_.empty()) groups_->remove_parent();
}

void RunGroups::expect(const RunRequest& request) {
    if (groups_ && wants_groups(request)) limited_.insert(request.key);
}

Result<> RunGroups::prepare(RunRequest& request) const {
    if (!groups_ || !wants_groups(request)) return {};
    const std::string group = group_name(request.key);
    TRY(groups_->make(request.key.pod_uid.str(), request.pod_limits));
    TRY(groups_->make(group, request.limits));
    std::size_t at = 0;
    for (const std::string& file : groups_->joins(group))
        request.setup.insert(request.setup.begin() + static_cast<std::ptrdiff_t>(at++),
                             os::setup::write_file(file, "0"));
    return {};
}

bool RunGroups::ran_out_of_memory(const RunKey& key) const {
    return limited_.contains(key) && groups_->killed_for_memory(group_name(key)) > 0;
}

void RunGroups::remove(const RunKey& key) {
    if (limited_.erase(key) == 0) return;
    CHECK(groups_, "runs have limits only where groups can be made");
    const bool last = runs_of(limited_, key.pod_uid).empty();
    leaving_[last ? key.pod_uid.str() : group_name(key)] = 0;
    try_removing();
}

void RunGroups::take_over(const std::function<bool(const RunKey& key)>& goes_on) {
    if (!groups_) return;
    for (const std::string& pod : groups_->list()) {
        bool any = false;
        for (const std::string& name : groups_->list(pod)) {
            const std::size_t dot = name.rfind('.');
            RunKey key{pod, name.substr(0, dot), 0};
            if (dot != std::string::npos)
                std::from_chars(name.data() + dot + 1, name.data() + name.size(), key.attempt);
            if (goes_on(key)) {
                limited_.insert(key);
                any = true;
            } else {
                leaving_[pod + '/' + name] = 0;
            }
        }
        if (!any) leaving_[pod] = 0;
    }
    try_removing();
}

void RunGroups::try_removing() {
    CHECK(groups_ || leaving_.empty());
    const bool any = !leaving_.empty();
    for (auto& [group, tries] : leaving_) ++tries;
    std::erase_if(leaving_,
                  [&](const auto& each) { return groups_->remove(each.first) || each.second > kRemovalsMax; });
    if (leaving_.empty()) {
        if (limited_.empty()) groups_->remove_parent();
        // Not from within a call of its owner's.
        if (any) loop_.post([this] { removed_(); });
        return;
    }
    if (timer_ != 0) return;
    timer_ = loop_.after(kRetryRemoval, [this] {
        timer_ = 0;
        try_removing();
    });
}

}  // namespace muster::node
