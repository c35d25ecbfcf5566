// Which runs are there now, for those who stream from them: logs that are followed, commands inside, attached
// terminals. Stands before the runs and notes what passes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "node/runtime/run_map.h"
#include "node/runtime/runs.h"

namespace muster::node {

class RunBoard final : public Runs {
public:
    // The runs must outlive it.
    explicit RunBoard(Runs& runs) : runs_(runs) {}

    void listen(RunListener listener) override;
    void start(RunRequest request) override { runs_.start(std::move(request)); }
    void signal(const RunKey& key, int number) override { runs_.signal(key, number); }
    void enter(std::uint64_t label) override { runs_.enter(label); }
    void forget(const Text& pod_uid) override;

    // Whether it has not ended as far as anybody knows. Before the runtime has told us anything, everything may run.
    bool may_run(const RunKey& key) const { return !told_ || running_.contains(key); }
    // The number of its process; nothing when it does not run.
    std::optional<int> find_process(const RunKey& key) const;

    // Ends when it is destroyed.
    class Watch {
    public:
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

    private:
        friend class RunBoard;
        Watch(RunBoard& owner, RunKey key, std::function<void()> ended)
            : owner_(owner), key_(std::move(key)), ended_(std::move(ended)) {}
        RunBoard& owner_;
        RunKey key_;
        std::function<void()> ended_;
    };
    // Calls `ended` when the run has ended. No watch may be destroyed from within the call.
    std::unique_ptr<Watch> watch(RunKey key, std::function<void()> ended);

private:
    void on_run(const RunRecord& record);
    void on_touch();
    void tell_end(const RunKey& key);

    Runs& runs_;
    bool told_ = false;
    bool relearning_ = true;
    RunMap<int> running_;  // with their processes
    RunMap<int> learnt_;   // since touch was lost
    std::multimap<RunKey, Watch*> watches_;
};

}  // namespace muster::node
