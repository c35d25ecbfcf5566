// Looks at the Jobs of a cluster for what the controllers themselves cannot tell: whether another program writes the
// status of Jobs that are ours, such as a kube-controller-manager whose Job controller was to be off; and whether there
// are Jobs whose pods only a process that watches all pods can see.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "api/kinds/batch.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/job/pods/view.h"

namespace muster {

// Who, other than `self`, has written the Job's status between the two: a manager of fields whose entry is new or has
// another time. By what the server says, so that no clock is compared. Pure.
std::optional<Text> foreign_status_writer(const api::batch::Job& before, const api::batch::Job& now,
                                          std::string_view self);

// Whether the Job needs pods that have other labels than those of generated selectors.
bool needs_other_pods(const api::batch::Job& job, const controllers::jobs::Ownership& ownership, bool queue);

struct JobWatchOptions {
    controllers::jobs::Ownership ownership{};
    bool queue = false;           // Jobs of others are queued, too
    std::string field_manager{};  // our own
    std::function<void(std::string_view)> problem{};
    std::function<void()> on_other_pods{};  // a Job needs other pods; called for each change of such a Job
};

class JobWatch {
public:
    // All must outlive it. `client` writes Events.
    JobWatch(os::Loop& loop, client::Client& client, client::Metrics& metrics, JobWatchOptions options);
    void start();

private:
    using JobRef = client::Ref<api::batch::Job>;
    void on_job(const JobRef& before, const JobRef& now);
    void on_foreign_write(const api::batch::Job& job, const Text& writer);

    client::Metrics& metrics_;
    const JobWatchOptions options_;
    client::Recorder recorder_;
    client::Mirror<api::batch::Job> jobs_;
    std::set<Text> told_;  // managers that were told of
};

}  // namespace muster
