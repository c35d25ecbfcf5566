// What the objects of one namespace use of each of its ResourceQuotas. Its owner tells it of every object that is
// created, changed and removed; the sums are then exact. The server asks it before a write (server/objects/
// quota_admission.h), the controller writes the sums into the status (controllers/resource_quota/).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/core/quota.h"
#include "api/schema/kind_info.h"

namespace muster::api {

class QuotaLedger {
public:
    struct Account {
        core::ResourceQuotaSpec spec{};
        std::vector<const KindInfo*> kinds{};  // whose objects it counts
        Map<Quantity> used{};                  // by resource, for those that can be counted
    };

    // Opens an account with nothing in it: the objects that are there must be told. Gives false when there is one that
    // counts the same already, which then only takes over the new limits.
    bool open(std::string_view name, const core::ResourceQuotaSpec& spec);
    void close(std::string_view name);
    bool empty() const { return accounts_.empty(); }
    const std::map<std::string, Account, std::less<>>& accounts() const { return accounts_; }

    // The kinds that any account counts.
    std::vector<const KindInfo*> kinds() const;

    // An object was written; null before it was there, and after it went. Gives whether any sum changed.
    bool apply(const KindInfo& kind, const void* before, const void* after);
    // The same for the account of that name alone.
    void count(std::string_view name, const KindInfo& kind, const void* object);

    // Why an object may not be written, in Kubernetes' words; empty when it may. What does not raise a sum is always
    // allowed, however far above its limit it is.
    std::string check(const KindInfo& kind, const void* before, const void* after) const;

private:
    std::map<std::string, Account, std::less<>> accounts_;
};

}  // namespace muster::api
