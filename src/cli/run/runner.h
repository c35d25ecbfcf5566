// Runs Jobs to their end: creates or resumes them, and reports their progress until all have ended.
//     mirrors of Jobs and pods  →  ensure each Job (create, resume, or recreate)  →  follow  →  the end of all
// It only writes Jobs and watches; the control plane runs them. So a runner can be stopped at any point, and another
// runner continues.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "cli/run/pod_output.h"
#include "cli/run/progress.h"
#include "cli/run/report.h"
#include "client/client.h"
#include "client/mirror.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::cli {

enum class RunOutcome {
    kComplete,     // all Jobs are
    kFailed,       // one has failed, or is gone
    kInterrupted,  // its pods are stopped, or being stopped
    kRefused,      // the server does not take a Job; it was told
    kLost,         // the server does not answer any more
};

struct RunnerSetup {
    os::Loop& loop;
    client::Client& client;
    Report& report;
    const PodLogs& logs;
    bool stream_output = false;  // as it is written; else only …
    bool print_output = false;   // … when a pod has ended
    bool remove_complete = false;
    bool again = false;               // taking over from a runner that lost its server: nothing is told twice
    std::function<bool()> is_lost{};  // asked now and then
};

class Runner {
public:
    // All must outlive it. Destroying it leaves the Jobs alone.
    explicit Runner(RunnerSetup setup);
    ~Runner();

    os::Task<RunOutcome> run(std::vector<api::batch::Job> drafts);
    // Suspends the Jobs, so that their pods are stopped, and ends when they are; a second time ends at once.
    void interrupt();

private:
    using Job = api::batch::Job;
    using Pod = api::core::Pod;
    using JobRef = client::Ref<Job>;
    using PodRef = client::Ref<Pod>;

    // One Job that is followed.
    struct Track {
        JobRef job;
        std::int64_t running = 0;
        std::int64_t live = 0;     // pods that have not ended
        std::int64_t telling = 0;  // what is still being read about it
        std::set<std::string> obstacles;
        bool gone = false;
        bool told = false;
        bool succeeded = false;
    };
    using TrackRef = std::shared_ptr<Track>;

    os::Task<Result<void>> ensure(Job draft);
    os::Task<Result<JobRef>> recreate(JobRef old, Job draft);
    os::Task<Result<JobRef>> take_up(JobRef stored, Job draft);
    void follow(JobRef job, bool resumed);
    os::Task<RunOutcome> follow_all();
    os::Task<void> suspend_all();
    os::Task<Result<void>> suspend(client::ObjectName name, Text uid);
    os::Task<Result<void>> want_quota(Text name_space, Text job_uid, bool wanted);
    os::Task<void> remove_job(TrackRef track);
    os::Task<void> tick();

    void on_job(const JobRef& before, const JobRef& now);
    void on_pod(const PodRef& before, const PodRef& now);
    void take_pod(const TrackRef& track, const PodRef& before, const PodRef& now, bool tell);
    void read_output(const TrackRef& track, const PodRef& pod);
    os::Task<void> tell_failure(TrackRef track, PodRef pod);
    // Tells a container's output: as it is written when `follow`, else what there is.
    os::Task<void> tell_output(TrackRef track, PodRef pod, Text container, Stream stream, bool follow);
    std::vector<Stream> streams() const;
    os::Task<void> print_whole(TrackRef track, PodRef pod);
    bool check_end(Track& track);
    bool is_stopped(const Track& track) const;
    Progress progress() const;

    RunnerSetup setup_;
    client::Mirror<Job> jobs_;
    client::Mirror<Pod> pods_;
    client::Mirror<Pod>::IndexId by_job_;
    std::map<Text, TrackRef> tracks_;  // by the Job's UID
    std::set<std::string> read_;       // the runs of containers whose output is told
    Pace pace_;
    Duration started_{0};
    int interrupts_ = 0;
    bool stopping_ = false;
    os::Event changed_;
    os::TaskScope tasks_;
};

}  // namespace muster::cli
