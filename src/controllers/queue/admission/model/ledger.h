// How many workloads each queue has, and what they use: the numbers in the status of queues and in metrics. Updated
// with every change of a workload, so that reading the numbers needs no iteration.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "controllers/queue/quota/tree.h"

namespace muster::controllers::queue {

enum class Phase : std::uint8_t {
    kNone,          // over, switched off, or gone
    kInadmissible,  // waits, and something other than quota is missing
    kPending,       // waits for quota
    kReserving,     // has quota, and waits for its checks
    kAdmitted,
};

struct QueueCounts {
    std::int32_t pending = 0;
    std::int32_t inadmissible = 0;
    std::int32_t reserving = 0;  // admitted ones included
    std::int32_t admitted = 0;
    Usage reserved{};
    Usage used{};
    std::map<Text, Amount> asked{};  // by those that wait, by resource
    bool told = true;                // the queue's status says so, or nearly

    bool nothing() const { return pending == 0 && inadmissible == 0 && reserving == 0; }
    void count(Phase phase, const Usage& usage, int sign) {
        if (phase == Phase::kPending) pending += sign;
        if (phase == Phase::kInadmissible) inadmissible += sign;
        CHECK(pending >= 0 && inadmissible >= 0, "more workloads have left a queue than have come");
        if (phase < Phase::kReserving) return;
        reserving += sign;
        CHECK(reserving >= 0, "more workloads have given back quota than have got it");
        for (const Use& use : usage) add_use(reserved, use.slot, times(use.amount, sign));
        if (phase != Phase::kAdmitted) return;
        admitted += sign;
        CHECK(admitted >= 0 && admitted <= reserving, "a workload is admitted without quota");
        for (const Use& use : usage) add_use(used, use.slot, times(use.amount, sign));
    }
    void ask(const std::vector<std::pair<Text, Amount>>& amounts, int sign) {
        for (const auto& [resource, amount] : amounts) {
            Amount& sum = asked[resource];
            sum = plus(sum, times(amount, sign));
            if (sum == 0) asked.erase(resource);
        }
    }
    void add(const QueueCounts& other) {
        pending += other.pending;
        inadmissible += other.inadmissible;
        reserving += other.reserving;
        admitted += other.admitted;
        for (const Use& use : other.reserved) add_use(reserved, use.slot, use.amount);
        for (const Use& use : other.used) add_use(used, use.slot, use.amount);
    }
    static Amount find(const Usage& usage, Slot slot) {
        for (const Use& use : usage)
            if (use.slot == slot) return use.amount;
        return 0;
    }
};

}  // namespace muster::controllers::queue
