// Objects for tests, as a base and what differs from it, in JSON with single quotes.
#pragma once

#include <string>
#include <string_view>

#include "api/kinds/batch.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// Fills a new object with what `current` becomes under a merge patch. Quotes may be single; CHECKs that all is known.
void fill_draft(const TypeInfo& type, void* object, std::string_view current, std::string_view patch);
template <class K>
K make_object(std::string_view current, std::string_view patch = "{}") {
    K object{};
    fill_draft(K::info(), &object, current, patch);
    return object;
}

inline constexpr const char* kJobBase =
    "{'metadata': {'name': 'j', 'namespace': 'n', 'uid': 'u1', 'resourceVersion': '7'}, 'spec': {'template': {'spec': "
    "{'restartPolicy': 'Never', 'containers': [{'name': 'c', 'image': 'busybox', 'command': ['true']}]}}}}";
inline constexpr const char* kCronJobBase =
    "{'metadata': {'name': 'c', 'namespace': 'n', 'uid': 'u1', 'resourceVersion': '7'}, 'spec': {'schedule': "
    "'*/5 * * * *', 'jobTemplate': {'spec': {'template': {'spec': {'restartPolicy': 'Never', 'containers': [{'name': "
    "'c', 'image': 'busybox'}]}}}}}}";

// With its defaults, as a client's create leaves it; the status is kept.
batch::Job make_job(std::string_view patch);

// One line for each cause.
std::string print_errors(const FieldErrors& errors);

}  // namespace muster::api
