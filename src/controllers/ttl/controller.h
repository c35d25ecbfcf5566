// Carries out what decide_ttl plans: watches Jobs and Pods, sleeps until one expires, reads it afresh and removes it. A
// Job goes in the foreground, with its pods; what was not read just now never goes.
#pragma once

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "client/work_queue.h"
#include "controllers/ttl/decide.h"
#include "controllers/workers.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct TtlOptions {
    bool jobs = true;  // feature gate TTLAfterFinished
    bool pods = true;  // feature gate PodTTLAfterFinished
    std::size_t at_once_max = 512;
};

// For one kind, K: Job or Pod.
template <class K>
class TtlOfKind {
public:
    TtlOfKind(os::Loop& loop, client::Client& client, client::Metrics& metrics, client::Recorder& recorder,
              std::size_t at_once_max);
    void start();
    bool idle() const { return queue_.idle(); }

private:
    void on_change(const client::Ref<K>& now);
    os::Task<Worked> sync(client::ObjectName name);
    // Whether the object is due; when it is not yet, it is queued for when it will be.
    bool is_due(const K& object, const TtlPlan& plan);

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    client::Recorder& recorder_;
    client::WorkQueue<client::ObjectName> queue_;
    client::Mirror<K> mirror_;
    Workers<client::ObjectName> workers_;
};
extern template class TtlOfKind<api::batch::Job>;
extern template class TtlOfKind<api::core::Pod>;

class TtlController {
public:
    // All must outlive the controller; destroying it stops it.
    TtlController(os::Loop& loop, client::Client& client, client::Metrics& metrics, TtlOptions options = {})
        : options_(options),
          recorder_(loop, client, "ttl-after-finished-controller"),
          jobs_(loop, client, metrics, recorder_, options.at_once_max),
          pods_(loop, client, metrics, recorder_, options.at_once_max) {}

    void start() {
        if (options_.jobs) jobs_.start();
        if (options_.pods) pods_.start();
    }
    // Nothing is due, and nothing will be.
    bool idle() const { return jobs_.idle() && pods_.idle(); }

private:
    TtlOptions options_;
    client::Recorder recorder_;
    TtlOfKind<api::batch::Job> jobs_;
    TtlOfKind<api::core::Pod> pods_;
};

}  // namespace muster::controllers
