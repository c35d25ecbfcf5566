// Carries out what decide_ttl plans: watches Jobs and Pods, sleeps until one expires, reads it afresh and removes it. A
// Job goes in the foreground, with its pods; what was not read just now never goes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/reconciler.h"
#include "controllers/ttl/decide.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct TtlOptions {
    bool jobs = true;  // feature gate TTLAfterFinished
    bool pods = true;  // feature gate PodTTLAfterFinished
    std::size_t at_once_max = 512;
    // Pods are watched by these labels, each a selection; none: all pods are. A pod with an annotation and without any
    // of these labels is not seen.
    std::vector<std::string> pod_labels{};
};

// For one kind, K: Job or Pod.
template <class K>
class TtlOfKind {
public:
    TtlOfKind(os::Loop& loop, client::Client& client, client::Metrics& metrics, client::Recorder& recorder,
              std::size_t at_once_max, const std::vector<std::string>& labels = {});
    void start();
    bool idle() const { return reconciler_.idle(); }

private:
    void on_change(const client::Ref<K>& now);
    os::Task<Worked> sync(client::ObjectName name);
    // Whether the object is due; when it is not yet, it is queued for when it will be.
    bool is_due(const K& object, const TtlPlan& plan);
    client::Ref<K> find(const client::ObjectName& name) const;

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    client::Recorder& recorder_;
    std::vector<std::unique_ptr<client::Mirror<K>>> mirrors_;  // an object may be in several
    Reconciler<client::ObjectName> reconciler_;
};
extern template class TtlOfKind<api::batch::Job>;
extern template class TtlOfKind<api::core::Pod>;

class TtlController {
public:
    // All must outlive the controller; destroying it stops it.
    TtlController(os::Loop& loop, client::Client& client, client::Metrics& metrics, TtlOptions options = {})
        : recorder_(loop, client, "ttl-after-finished-controller") {
        if (options.jobs) jobs_.emplace(loop, client, metrics, recorder_, options.at_once_max);
        if (options.pods) pods_.emplace(loop, client, metrics, recorder_, options.at_once_max, options.pod_labels);
    }

    void start() {
        if (jobs_) jobs_->start();
        if (pods_) pods_->start();
    }
    // Nothing is due, and nothing will be.
    bool idle() const { return (!jobs_ || jobs_->idle()) && (!pods_ || pods_->idle()); }

private:
    client::Recorder recorder_;
    std::optional<TtlOfKind<api::batch::Job>> jobs_;
    std::optional<TtlOfKind<api::core::Pod>> pods_;
};

}  // namespace muster::controllers
