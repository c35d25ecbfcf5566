#include "api/testing/drafts.h"

#include <algorithm>

#include "api/codec/dom.h"
#include "api/defaults/job.h"
#include "api/patch/patch.h"

namespace muster::api {
namespace {

// Text that has double quotes already is left alone.
std::string with_double_quotes(std::string_view text) {
    std::string json(text);
    if (json.find('"') == std::string::npos) std::replace(json.begin(), json.end(), '\'', '"');
    return json;
}

}  // namespace

void fill_draft(const TypeInfo& type, void* object, std::string_view current, std::string_view patch) {
    const auto document = parse_dom(with_double_quotes(current)).value();
    const auto patched = apply_patch(PatchKind::kMerge, type, document, with_double_quotes(patch), {}).value();
    check_strict(decode_dom(type, object, patched).value()).value();
}

batch::Job make_job(std::string_view patch) {
    batch::Job job = make_object<batch::Job>(kJobBase, patch);
    const batch::JobStatus status = job.status;
    default_job(job);
    prepare_job_create(job);
    job.status = status;
    return job;
}

std::string print_errors(const FieldErrors& errors) {
    std::string lines;
    for (const Cause& cause : errors.causes()) {
        if (!lines.empty()) lines += '\n';
        lines += cause.field + ": " + cause.message;
    }
    return lines;
}

}  // namespace muster::api
