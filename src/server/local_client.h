// The client of those who live in the server's own process. It hands out the store's own objects, never copies, and its
// writes are visible to others in the process at once; they are answered when they are durable.
#pragma once

#include "base/prng.h"
#include "client/client.h"
#include "os/loop.h"
#include "store/store.h"

namespace muster::server {

class LocalClient final : public client::Client {
public:
    // All must outlive the client. `seed` makes UIDs.
    LocalClient(os::Loop& loop, store::Store& store, std::uint64_t seed) : loop_(loop), store_(store), random_(seed) {}

protected:
    os::Task<Result<client::AnyObject>> get_any(const api::KindInfo& kind, client::ObjectName name) override;
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_) override;
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version) override;
    os::Task<Result<client::AnyObject>> create_any(const api::KindInfo& kind, client::AnyObject draft) override;
    os::Task<Result<client::AnyObject>> update_any(const api::KindInfo& kind, client::AnyObject draft) override;
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::RemovePreconditions preconditions) override;

private:
    os::Loop& loop_;
    store::Store& store_;
    Prng random_;
};

}  // namespace muster::server
