// The client of a leader's controllers. It refuses writes (kUnavailable) from the moment that its instance must no
// longer act. Each write checks the clock, so it does not depend on a timer. Reads always pass.
// The clock is checked when a write begins and, by a client that lets it wait (for a place, for the server, for a
// connection), again when it is sent (Client::check_writes).
#pragma once

#include "client/client.h"
#include "client/leader_election.h"

namespace muster::client {

class LedClient final : public Client {
public:
    // The inner client is only for this one; the election must outlive it.
    LedClient(std::unique_ptr<Client> inner, const LeaderElection& election);
    // The same for an instance that may act while `check` gives no error.
    LedClient(std::unique_ptr<Client> inner, WriteCheck check);

    SharedMirrors* shared_mirrors() override { return inner_.shared_mirrors(); }
    const KindSource& kinds() const override { return inner_.kinds(); }
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
    Result<> check_leads() const { return check_(); }

    const std::unique_ptr<Client> kept_;
    Client& inner_;
    const WriteCheck check_;
};

}  // namespace muster::client
