#include "controllers/queue/queue.h"

#include "controllers/queue/admission/controller.h"
#include "controllers/queue/jobs/controller.h"
#include "controllers/queue/objects/controller.h"
#include "controllers/queue/orphans/controller.h"
#include "controllers/queue/pods/controller.h"
#include "controllers/queue/priorities/controller.h"

namespace muster::controllers {

// Each is a controller with a constructor of (loop, client, metrics, …) and start().
struct QueueControllers::Members {
    Members(os::Loop& loop, client::Client& client, client::Metrics& metrics, const QueueOptions& options)
        : objects(loop, client, metrics),
          orphans(loop, client, metrics, options.job_pod_labels),
          priorities(loop, client, metrics) {
        const api::kueue::QueueConfiguration& configuration = options.configuration;
        AdmissionOptions admission_options;
        admission_options.pods_ready = configuration.wait_for_pods_ready;
        admission_options.fair_sharing = configuration.fair_sharing;
        admission.emplace(loop, client, metrics, std::move(admission_options));
        if (configuration.pods) {
            QueuedPodsOptions pods_options;
            pods_options.configuration = configuration;
            pods.emplace(loop, client, metrics, std::move(pods_options));
        }
        if (configuration.jobs) {
            QueuedJobsOptions jobs_options;
            jobs_options.configuration = configuration;
            jobs_options.job_manager = options.job_manager;
            jobs_options.pod_labels = options.job_pod_labels;
            jobs.emplace(loop, client, metrics, std::move(jobs_options));
        }
    }
    void start() {
        objects.start();
        orphans.start();
        priorities.start();
        admission->start();
        if (pods) pods->start();
        if (jobs) jobs->start();
    }

    QueueObjects objects;
    OrphanedWorkloads orphans;
    WorkloadPriorities priorities;
    std::optional<AdmissionController> admission;
    std::optional<QueuedPods> pods;
    std::optional<QueuedJobs> jobs;
};

QueueControllers::QueueControllers(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                   QueueOptions options)
    : members_(std::make_unique<Members>(loop, client, metrics, options)) {}

QueueControllers::~QueueControllers() = default;

void QueueControllers::start() { members_->start(); }

}  // namespace muster::controllers
