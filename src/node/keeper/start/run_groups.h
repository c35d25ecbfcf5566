// The control groups of runs whose containers have limits, on the keeper's side: made before a run starts, asked when
// it has ended whether memory was what ended it, removed afterwards. Runs without limits have none and cost nothing.
//
// Groups are named <pod>/<container>.<attempt> under one parent of the directory's own, so that a keeper that was
// killed leaves nothing: the next finds its groups by their names.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "node/runtime/run_map.h"
#include "node/runtime/runs.h"
#include "os/loop/loop.h"
#include "os/process/cgroups.h"

namespace muster::node {

// The name of the group that all groups of a node's directory stand under.
std::string groups_parent(const std::string& directory);

class RunGroups {
public:
    // `removed` is called whenever the last of those that were on their way out is gone.
    RunGroups(os::Loop& loop, const std::string& directory, std::function<void()> removed);
    ~RunGroups();

    // That the run will have groups, if it asks for limits.
    void expect(const RunRequest& request);
    // Makes the groups that the request asks for, and puts what joins them in front of its setup. Any thread may call
    // it. Where groups cannot be made at all it does nothing.
    Result<> prepare(RunRequest& request) const;
    // Whether something of the run was killed for want of memory. To be asked before `remove`.
    bool ran_out_of_memory(const RunKey& key) const;
    // Kills what is left in the run's groups and removes them.
    void remove(const RunKey& key);
    // What a keeper before us left: takes over the groups of runs that go on, and removes the others.
    void take_over(const std::function<bool(const RunKey& key)>& goes_on);
    bool removing() const { return !leaving_.empty(); }

private:
    void try_removing();

    os::Loop& loop_;
    std::optional<os::Cgroups> groups_;
    std::function<void()> removed_;
    RunSet limited_;
    std::map<std::string, int> leaving_;  // groups, and how often their removal was tried
    os::TimerId timer_ = 0;
};

}  // namespace muster::node
