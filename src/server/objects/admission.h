// The admission chain: functions that check every write after it was decoded and before it is stored, for all clients.
// Functions that may change the object come first, then functions that may only refuse. They run on the loop and must
// not wait.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/kind_object/kind_object.h"

namespace muster::server {

class Objects;
struct User;

enum class Operation { kCreate, kUpdate, kDelete };

// Keys and values.
using AuditAnnotations = std::vector<std::pair<std::string, std::string>>;

struct AdmissionRequest {
    Operation operation;
    const api::KindInfo& kind;
    std::string_view subresource;
    std::string_view namespace_;
    std::string_view name;     // may be empty on create
    KindObject* object;        // what is about to be stored; null on delete
    const KindObject* before;  // null on create
    const User* user;          // null for those inside the process
    bool dry_run;
    std::vector<std::string>* warnings;  // shown to the caller; may be null
    AuditAnnotations* audit = nullptr;   // goes into the audit log; may be null
    bool from_inside = false;            // a part of this process asks, and not a client
};

using AdmissionStep = std::function<Result<>(AdmissionRequest& request, const Objects& objects)>;
// Told of every object that was written, in the instant of the write: null before it was there, and after it went.
using WriteListener = std::function<void(const KindObject* before, const KindObject* after)>;

struct AdmissionChain {
    std::vector<AdmissionStep> mutating;
    std::vector<AdmissionStep> validating;
    std::vector<WriteListener> written{};
};

// "pods \"x\" is forbidden: …", about the request.
Error refuse_request(const AdmissionRequest& request, const std::string& why);

// Objects only in namespaces that are there and not on their way out; default, kube-system and kube-public stay.
Result<> admit_namespace(AdmissionRequest& request, const Objects& objects);
// A pod's priority from its class, and how long it stays on a node that is gone.
Result<> admit_pod_scheduling(AdmissionRequest& request, const Objects& objects);
// One default priority class at most.
Result<> admit_priority_class(AdmissionRequest& request, const Objects& objects);

// What every server has.
AdmissionChain default_admission();

}  // namespace muster::server
