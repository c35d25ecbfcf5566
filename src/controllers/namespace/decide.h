// What is to be said of a namespace that is being deleted, and whether it may go: after its content was removed, this
// many objects were still there. Kubernetes' conditions, in its order and words. Pure; `now` is an argument.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "api/schema/kind_info.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::controllers {

// The namespace's own finalizer, in its spec.
inline constexpr const char* kNamespaceFinalizer = "kubernetes";

// What of one kind was there after everything had been told to go.
struct RemainingContent {
    const api::KindInfo* kind = nullptr;
    std::int64_t count = 0;
    std::map<Text, std::int64_t> finalizers{};  // how many objects each holds back
    std::int64_t grace_seconds = 0;             // the longest that pods among them may take to end
    std::optional<std::string> failure{};       // why some could not be told to go, or not be counted
    std::int64_t awaited = 0;                   // pods among them that everything else waits for
};

// Whether everything else of the namespace stays until this pod is gone: what a pod uses goes after it. One that has
// ended and that only the tracking of its Job holds is not waited for: the Job may keep it until another pod has been
// made in its place, and none can be made here. Then the Job has to go first.
bool is_awaited(const api::core::Pod& pod);

struct NamespaceView {
    const api::core::Namespace& namespace_;
    const std::vector<RemainingContent>& content;  // of every kind that was looked at
    bool complete = true;                          // whether that was every kind: pods go before everything else
    int attempt = 0;                               // how often it was looked at before
    Instant now;
};

// Carried out top to bottom.
struct NamespacePlan {
    std::optional<api::core::NamespaceStatus> status{};   // when it differs
    std::optional<api::core::NamespaceSpec> finalized{};  // through the finalize subresource
    std::optional<Duration> again_after{};                // content is on its way out
    bool failed = false;                                  // to be tried again, ever more slowly
    bool operator==(const NamespacePlan&) const = default;
};

// Whether there is something to do at all: it is being deleted, and our finalizer is there.
bool needs_emptying(const api::core::Namespace& namespace_);

// Of a namespace that needs emptying.
NamespacePlan decide_namespace(const NamespaceView& view);

}  // namespace muster::controllers
