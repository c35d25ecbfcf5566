// The line of starts that the keeper was asked for: they wait, then a few at a time are under way, then each has begun
// or failed. Pure.
//
// Few are under way at a time because a start that is under way when the keeper is killed counts as having happened,
// and a start that only waits does not.
//
// Invariant: a key is in the line once, waiting or under way.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "node/keeper/start/start_board.h"
#include "node/runtime/run_map.h"
#include "node/runtime/runs.h"

namespace muster::node {

class StartLine {
public:
    static constexpr std::size_t kUnderWayMax = 64;

    // What is known of a start that is in the line.
    struct Starting {
        std::vector<int> signals{};  // sent to the run meanwhile
        StartBoard::Place* place = nullptr;
        bool under_way = false;
    };

    // False when the key is in the line already.
    bool add(RunRequest request);
    // The starts that are under way from here on. None while more than half of kUnderWayMax are: groups share the cost
    // of a sync, so they are large.
    std::vector<RunRequest> take_group();
    // The place of a start that is under way.
    void set_place(const RunKey& key, StartBoard::Place* place);
    // The start is no longer under way.
    Starting finish(const RunKey& key);
    // The signal waits for the run to begin. False when the key is not in the line.
    bool signal(const RunKey& key, int number);
    // Drops the pod's starts that only wait.
    void forget(const Text& pod_uid);
    // Drops all starts that only wait.
    void forget_waiting();

    bool empty() const { return starting_.empty(); }
    std::size_t under_way() const { return under_way_; }
    const RunMap<Starting>& starting() const { return starting_; }

private:
    void check() const;

    std::deque<RunRequest> waiting_;
    std::size_t under_way_ = 0;
    RunMap<Starting> starting_;  // both
};

}  // namespace muster::node
