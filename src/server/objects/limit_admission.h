// The LimitRanges of a namespace, as Kubernetes' admission plugin LimitRanger has them: a new pod gets the defaults,
// and pods and claims outside the bounds are refused. The rules are in api/limits/.
#pragma once

#include <map>
#include <string>

#include "server/objects/admission.h"

namespace muster::server {

// The namespaces that have LimitRanges, so that pods of others cost nothing.
class LimitedSpaces {
public:
    bool contains(std::string_view namespace_, const Objects& objects);
    // Of every write.
    void on_written(const KindObject* before, const KindObject* after);

private:
    bool loaded_ = false;
    std::map<std::string, int, std::less<>> ranges_;  // how many, by namespace
};

// On create of a pod, mutating.
Result<> admit_limit_ranges(AdmissionRequest& request, const Objects& objects);
// On create of a pod, and on create and update of a claim; validating.
Result<> check_limit_ranges(AdmissionRequest& request, const Objects& objects);

}  // namespace muster::server
