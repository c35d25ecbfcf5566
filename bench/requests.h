// What the clients of the benchmarks ask of an API server.
#pragma once

#include <memory>
#include <string>

#include "bench/http_load.h"
#include "bench/muster_process.h"

namespace muster::bench {

inline const std::string kPods = "/api/v1/namespaces/default/pods";
inline const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";

// About 1.5 KB, as a program would send it.
inline std::string pod_body(const std::string& name) {
    std::string env;
    for (int i = 0; i < 8; ++i) {
        const std::string number = std::to_string(i);
        env += (i ? "," : "") + (R"({"name":"SETTING_)" + number + R"(","value":"a value that is not short )") +
               number + R"("})";
    }
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"(","labels":{"app":"render","batch.kubernetes.io/job-name":"render","tier":"batch"},)"
           R"("annotations":{"batch.kubernetes.io/job-completion-index":"17"},)"
           R"("finalizers":["batch.kubernetes.io/job-tracking"]},"spec":{"restartPolicy":"Never","containers":[{)"
           R"("name":"frame","image":"studio/render:4.2","command":["render","--frame","17","--quality","high"],"env":[)" +
           env +
           R"(],"resources":{"limits":{"cpu":"2","memory":"4Gi"},"requests":{"cpu":"500m","memory":"1Gi"}},)"
           R"("volumeMounts":[{"name":"scratch","mountPath":"/scratch"}]}],)"
           R"("volumes":[{"name":"scratch","emptyDir":{"sizeLimit":"10Gi"}}],)"
           R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
           R"("tolerationSeconds":300}],"terminationGracePeriodSeconds":30}})";
}

// Pods of ever new names.
inline Load::NextRequest next_create(std::string prefix, std::string more_headers = {}) {
    auto number = std::make_shared<std::size_t>(0);
    auto request = std::make_shared<std::string>();
    return [=]() -> std::string_view {
        *request = format_request("POST", kPods, pod_body(prefix + std::to_string(++*number)), more_headers);
        return *request;
    };
}

// The size of the answer's body; it must be good.
inline std::size_t ask_once(const MusterProcess& muster, const std::string& request) {
    os::RealLoop loop;
    std::size_t size = 0;
    Talk talk(loop, muster.address(), muster.client_context(true), [&](Talk&, const Talk::Answer& answer) {
        CHECK(answer.status / 100 == 2, std::to_string(answer.status));
        size = answer.body_bytes;
        loop.stop();
    });
    talk.ask(request);
    loop.run();
    return size;
}

// Whether a list has no items: its head alone is short.
inline bool is_empty(const MusterProcess& muster, const std::string& path) {
    constexpr std::size_t kHeadMax = 200;
    return ask_once(muster, format_request("GET", path)) < kHeadMax;
}

}  // namespace muster::bench
