// For tests: Jobs and CronJobs as a base and what differs from it, in JSON with single quotes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/defaults/job.h"
#include "api/patch/patch.h"
#include "api/validation/field_errors.h"

namespace muster::api {

inline std::string with_double_quotes(std::string_view text) {
    std::string json(text);
    std::replace(json.begin(), json.end(), '\'', '"');
    return json;
}

// The object that `current`, as JSON, becomes under a merge patch.
template <class K>
K patch_object(std::string_view current, std::string_view patch) {
    const auto document = parse_dom(current).value();
    const auto patched = apply_patch(PatchKind::kMerge, K::info(), document, with_double_quotes(patch), {}).value();
    K object;
    CHECK(check_strict(decode_dom(K::info(), &object, patched).value()).ok());
    return object;
}

template <class K>
K make_object(std::string_view base, std::string_view patch) {
    return patch_object<K>(with_double_quotes(base), patch);
}

inline constexpr const char* kJobBase =
    "{'metadata': {'name': 'j', 'namespace': 'n', 'uid': 'u1', 'resourceVersion': '7'}, 'spec': {'template': {'spec': "
    "{'restartPolicy': 'Never', 'containers': [{'name': 'c', 'image': 'busybox', 'command': ['true']}]}}}}";
inline constexpr const char* kCronJobBase =
    "{'metadata': {'name': 'c', 'namespace': 'n', 'uid': 'u1', 'resourceVersion': '7'}, 'spec': {'schedule': "
    "'*/5 * * * *', 'jobTemplate': {'spec': {'template': {'spec': {'restartPolicy': 'Never', 'containers': [{'name': "
    "'c', 'image': 'busybox'}]}}}}}}";

// With its defaults, as a client's create leaves it; the status is kept.
inline batch::Job make_job(std::string_view patch) {
    batch::Job job = make_object<batch::Job>(kJobBase, patch);
    const batch::JobStatus status = job.status;
    default_job(job);
    prepare_job_create(job);
    job.status = status;
    return job;
}

// One line for each cause.
inline std::string print_errors(const FieldErrors& errors) {
    std::string lines;
    for (const Cause& cause : errors.causes()) {
        if (!lines.empty()) lines += '\n';
        lines += cause.field + ": " + cause.message;
    }
    return lines;
}

}  // namespace muster::api
