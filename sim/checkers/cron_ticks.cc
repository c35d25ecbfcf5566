// A CronJob starts no tick twice, and with Forbid never a Job while another of its own is running.
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

using api::batch::CronJob;

const api::meta::OwnerReference* cron_of(const Job& job) {
    for (const auto& owner : job.metadata.owner_references)
        if (owner.kind == "CronJob") return &owner;
    return nullptr;
}

class CronTicks final : public Checker {
public:
    std::string_view name() const override { return "cron-ticks"; }

    void on_change(World& world, const Change& change) override {
        if (!change.is<Job>() || change.before || !change.now) return;
        const Job& made = *change.now_as<Job>();
        const auto* owner = cron_of(made);
        if (!owner) return;
        const bool first = started_.insert({owner->uid, made.metadata.name}).second;
        // A late or duplicated request may create a Job again after the first was deleted or the next has begun. No
        // controller can prevent that.
        if (world.requests_may_be_late()) return;
        if (!first) world.fail(name(), made.metadata.name, "the same tick starts twice");
        for (const CronJob* cron : world.history.all<CronJob>()) {
            if (!(cron->metadata.uid == owner->uid) || !(cron->spec.concurrency_policy == "Forbid")) continue;
            for (const Job* other : world.history.all<Job>()) {
                const auto* same = cron_of(*other);
                if (same && same->uid == owner->uid && !(other->metadata.uid == made.metadata.uid) &&
                    !is_finished(*other) && !is_deleting(*other))
                    world.fail(name(), made.metadata.name, "starts beside " + other->metadata.name.str());
            }
        }
    }

private:
    std::set<std::pair<Text, Text>> started_;
};

}  // namespace

std::unique_ptr<Checker> make_cron_ticks() { return std::make_unique<CronTicks>(); }

}  // namespace muster::sim
