#include "store/loss.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace muster::store {
namespace {

// What was acknowledged last may not be known. No store acknowledges so many writes between two syncs of its record.
constexpr Revision kRevisionGap = 1'000'000;

std::string way_out(const std::string& directory, Revision found) {
    const std::string from = std::to_string(found + 1);
    return "; restore a backup, or go on without the writes from revision " + from + " on: muster up --data-dir " +
           directory + " --accept-loss-from " + from;
}

// Why acknowledged writes are gone, or may be; empty when all are there. A store whose mark does not say so never kept
// a record, and there is none to miss.
std::string describe_loss(const std::string& directory, const LossFacts& facts) {
    const auto& [found, record, logs] = facts;
    if (found.group < logs.durable_group)
        return logs.path + " is damaged, or a log before it: group " + std::to_string(logs.durable_group) +
               " was written whole, but only " + std::to_string(found.group) + " groups can be read";
    if (!record.ok()) return record.error().message + ", so it is not known which writes were acknowledged";
    if (!*record && !found.recorded) return "";
    if (!*record) return durable_path(directory) + " is missing, so it is not known which writes were acknowledged";
    if ((*record)->revision <= found.revision) return "";
    return directory + "/db has lost acknowledged writes: it ends at revision " + std::to_string(found.revision) +
           ", and " + durable_path(directory) + " says that " + std::to_string((*record)->revision) +
           " was acknowledged; a log is missing or was cut short";
}

}  // namespace

Result<std::optional<DurableMark>> decide_loss(const std::string& directory, const LossFacts& facts,
                                               std::optional<Revision> accept_loss_from) {
    const std::string loss = describe_loss(directory, facts);
    if (loss.empty()) return std::optional<DurableMark>();
    const auto& [found, record, logs] = facts;
    if (accept_loss_from != found.revision + 1) return Error{Code::kCorrupt, loss + way_out(directory, found.revision)};
    DurableMark lost{std::max(found.group, logs.group), std::max(found.revision, logs.revision)};
    if (record.ok() && *record) {
        lost.group = std::max(lost.group, (*record)->group);
        lost.revision = std::max(lost.revision, (*record)->revision);
    }
    return std::optional(lost);
}

DurableMark mark_behind(const DurableMark& lost) {
    CHECK(lost.revision < UINT64_MAX - kRevisionGap, "revisions do not begin again");
    return {lost.group + 1, lost.revision + kRevisionGap};
}

}  // namespace muster::store
