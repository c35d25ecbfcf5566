// The client of a leader's controllers. It refuses writes (kUnavailable) from the moment that its instance must no
// longer act. Each write checks the clock, so it does not depend on a timer. Reads always pass.
// A client that makes its callers wait, such as a rate limit, must wrap this one and not be inside.
#pragma once

#include "client/client.h"
#include "client/leader_election.h"

namespace muster::client {

class LedClient final : public Client {
public:
    // Both must outlive it.
    LedClient(Client& inner, const LeaderElection& election) : inner_(inner), election_(election) {}

    SharedMirrors* shared_mirrors() override { return inner_.shared_mirrors(); }
    os::Task<Result<AnyObject>> get_any(const api::KindInfo& kind, ObjectName name, View view) override;
    os::Task<Result<AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_, View view) override;
    os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                          std::string resource_version, View view) override;
    os::Task<Result<AnyObject>> patch_any(const api::KindInfo& kind, ObjectName name, MetadataPatch patch,
                                          View view) override;
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, ObjectName name, Removal removal) override;
    os::Task<Result<void>> bind(ObjectName pod, Text uid, Text node) override;
    os::Task<Result<AnyObject>> create_any(const api::KindInfo& kind, AnyObject draft) override;
    os::Task<Result<AnyObject>> change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                           Part part) override;

private:
    // Looked at when a write begins, not when it was asked for.
    Result<> check_leads() const;

    Client& inner_;
    const LeaderElection& election_;
};

}  // namespace muster::client
