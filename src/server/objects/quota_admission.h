// The ResourceQuotas of a namespace, as Kubernetes' admission plugin ResourceQuota has them, but exact: what the
// objects of a namespace use is counted once from the store, and from then on with every write, in the instant of the
// write. A quota holds from the moment that it is stored; its status is for people to read
// (controllers/resource_quota/). Namespaces without quotas cost one look into an empty map.
#pragma once

#include <map>
#include <set>
#include <string>

#include "api/quota/ledger.h"
#include "server/objects/admission.h"

namespace muster::server {

class QuotaCensus {
public:
    // Validating: refuses what would exceed a quota. On create and update, not of the status.
    Result<> check(AdmissionRequest& request, const Objects& objects);
    // Of every write.
    void on_written(const KindObject* before, const KindObject* after);

private:
    struct Space {
        std::set<std::string> quotas;
        api::QuotaLedger ledger;
        bool counted = false;
    };

    void load(const Objects& objects);
    void count(Space& space, std::string_view namespace_, const Objects& objects);
    void on_quota_written(const KindObject* before, const KindObject* after);

    bool loaded_ = false;
    std::map<std::string, Space, std::less<>> spaces_;  // namespaces with quotas
};

}  // namespace muster::server
