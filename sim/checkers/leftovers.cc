// At rest nothing is left over: no finalizer of ours on any pod, no pod of a finished Job that has not ended, no pod of
// a Job that is gone unless it was orphaned, nothing half deleted.
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Leftovers final : public Checker {
public:
    std::string_view name() const override { return "leftovers"; }

    void at_rest(World& world) override {
        std::map<Text, const Job*> jobs;
        for (const Job* job : world.history.all<Job>()) {
            jobs[job->metadata.uid] = job;
            if (is_deleting(*job)) world.fail(name(), job->metadata.name, "it is still being deleted");
        }
        for (const Pod* pod : world.history.all<Pod>()) {
            const auto blame = [&](const char* what) { world.fail(name(), pod->metadata.name, what); };
            if (is_tracked(*pod)) blame("the finalizer of tracking is still there");
            if (is_deleting(*pod)) blame("it is still being deleted");
            const Text owner = job_uid_of(*pod);
            if (owner.empty()) continue;
            const auto job = jobs.find(owner);
            if (job == jobs.end())
                blame("its Job is gone");
            else if (is_finished(*job->second) && !has_ended(*pod))
                blame("its Job has finished, and it has not");
        }
    }
};

}  // namespace

std::unique_ptr<Checker> make_leftovers() { return std::make_unique<Leftovers>(); }

}  // namespace muster::sim
