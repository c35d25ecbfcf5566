#include "api/quota/ledger.h"

#include <algorithm>

#include "api/kinds/core/pod.h"
#include "api/quota/scopes.h"
#include "api/quota/usage.h"
#include "api/schema/walk.h"

namespace muster::api {
namespace {

using core::ResourceQuotaSpec;
using Account = QuotaLedger::Account;

bool has_same_keys(const Map<Quantity>& one, const Map<Quantity>& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const auto& left, const auto& right) { return left.key == right.key; });
}

bool counts_the_same(const ResourceQuotaSpec& one, const ResourceQuotaSpec& other) {
    return one.scopes == other.scopes && one.scope_selector == other.scope_selector &&
           has_same_keys(one.hard, other.hard);
}

bool counts(const Account& account, const KindInfo& kind) {
    return std::find(account.kinds.begin(), account.kinds.end(), &kind) != account.kinds.end();
}

// Of the account's resources, what an object uses; nothing when it is not there or in other scopes.
Map<Quantity> charge_for(const Account& account, const KindInfo& kind, const void* object) {
    Map<Quantity> charge;
    if (!object || !is_in_scopes(account.spec, kind, object)) return charge;
    for (const auto& [name, quantity] : usage_of(kind, object))
        if (account.spec.hard.contains(name)) charge.set(name, quantity);
    return charge;
}

// Only what grows.
Map<Quantity> growth(const Map<Quantity>& before, const Map<Quantity>& after) {
    Map<Quantity> more;
    for (const auto& [name, quantity] : after) {
        const Quantity* old = before.find(name);
        const Quantity grown = old ? quantity - *old : quantity;
        if (grown.sign() > 0) more.set(name, grown);
    }
    return more;
}

std::string listed(const Map<Quantity>& amounts) {
    std::string text;
    for (const auto& [name, quantity] : amounts)
        text.append(text.empty() ? "" : ",").append(name.view()).append("=").append(quantity.text());
    return text;
}

std::string check_growth(std::string_view name, const Account& account, const Map<Quantity>& more) {
    Map<Quantity> requested;
    Map<Quantity> used;
    Map<Quantity> limited;
    for (const auto& [resource, quantity] : more) {
        const Quantity& hard = *account.spec.hard.find(resource);
        const Quantity* present = account.used.find(resource);
        const Quantity now = present ? *present : Quantity();
        if (now + quantity <= hard) continue;
        requested.set(resource, quantity);
        used.set(resource, now);
        limited.set(resource, hard);
    }
    if (requested.empty()) return {};
    return "exceeded quota: " + std::string(name) + ", requested: " + listed(requested) + ", used: " + listed(used) +
           ", limited: " + listed(limited);
}

void charge_account(Account& account, const Map<Quantity>& charge, bool taken_back) {
    for (const auto& [name, quantity] : charge) {
        Quantity& sum = account.used.edit(name);
        if (taken_back) {
            sum -= quantity;
        } else {
            sum += quantity;
        }
    }
}

}  // namespace

bool QuotaLedger::open(std::string_view name, const ResourceQuotaSpec& spec) {
    const auto found = accounts_.find(name);
    if (found != accounts_.end() && counts_the_same(found->second.spec, spec)) {
        found->second.spec = spec;
        return false;
    }
    Account account{spec, {}, {}};
    for (const auto& [resource, quantity] : spec.hard) {
        const KindInfo* kind = user_of_resource(resource);
        if (!kind && !(resource == "replicationcontrollers")) continue;
        account.used.set(resource, Quantity());
        if (kind && !counts(account, *kind)) account.kinds.push_back(kind);
    }
    accounts_.insert_or_assign(std::string(name), std::move(account));
    return true;
}

void QuotaLedger::close(std::string_view name) {
    if (const auto found = accounts_.find(name); found != accounts_.end()) accounts_.erase(found);
}

std::vector<const KindInfo*> QuotaLedger::kinds() const {
    std::vector<const KindInfo*> all;
    for (const auto& [name, account] : accounts_)
        for (const KindInfo* kind : account.kinds)
            if (std::find(all.begin(), all.end(), kind) == all.end()) all.push_back(kind);
    return all;
}

bool QuotaLedger::apply(const KindInfo& kind, const void* before, const void* after) {
    bool changed = false;
    for (auto& [name, account] : accounts_) {
        if (!counts(account, kind)) continue;
        const Map<Quantity> old = charge_for(account, kind, before);
        const Map<Quantity> now = charge_for(account, kind, after);
        if (old == now) continue;
        charge_account(account, now, false);
        charge_account(account, old, true);
        changed = true;
    }
    return changed;
}

void QuotaLedger::count(std::string_view name, const KindInfo& kind, const void* object) {
    const auto found = accounts_.find(name);
    if (found != accounts_.end() && counts(found->second, kind))
        charge_account(found->second, charge_for(found->second, kind, object), false);
}

std::string QuotaLedger::check(const KindInfo& kind, const void* before, const void* after) const {
    for (const auto& [name, account] : accounts_) {
        if (!counts(account, kind) || !is_in_scopes(account.spec, kind, after)) continue;
        if (const QuotaContent* content = before ? nullptr : find_quota_content(kind)) {
            const std::string missing = content->check_stated(after, account.spec.hard);
            if (!missing.empty()) return "failed quota: " + name + ": " + missing;
        }
        const Map<Quantity> more = growth(charge_for(account, kind, before), charge_for(account, kind, after));
        if (std::string exceeded = check_growth(name, account, more); !exceeded.empty()) return exceeded;
    }
    return {};
}

}  // namespace muster::api
