// CEL expressions that webhook configurations and policies share: which pods and Jobs have to do with queues, and who
// asks. Pure text. In each, `object` names the variable: "object", "oldObject".
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "webhook/objects/names.h"

namespace muster::webhook {

// "'it\'s'"
std::string cel_text(std::string_view text);
// Whether a map of the object's metadata ("labels", "annotations") has one of the keys. False for an object that is
// null.
std::string cel_has_any(std::string_view object, std::string_view map, std::initializer_list<std::string_view> keys);
// The value under a key of such a map; the empty text when there is none.
std::string cel_value(std::string_view object, std::string_view map, std::string_view key);

// The pod has a label or an annotation that queueing looks at.
std::string cel_queued_pod(std::string_view object);
// The Job names a queue.
std::string cel_queued_job(std::string_view object);
// The Job has a label or an annotation that queueing looks at.
std::string cel_job_of_queues(std::string_view object);
// The object's controller is a Job.
std::string cel_owned_by_job(std::string_view object);
// The request is Muster's own.
std::string cel_own_request(const Identity& identity);
// A Job controller asks: that of Kubernetes, or Muster.
std::string cel_job_controller(const Identity& identity);
// A pod that a kubelet made of a file on its node: it runs already, whatever is answered.
std::string cel_mirror_pod(std::string_view object);

// "(a) || (b)"; "!(a)".
std::string cel_or(const std::vector<std::string>& parts);
std::string cel_and(const std::vector<std::string>& parts);
std::string cel_not(const std::string& part);

}  // namespace muster::webhook
