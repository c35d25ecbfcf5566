// The client of those who live in the server's own process. It hands out the store's own objects, never copies, and its
// writes go through the same rules as everybody's; they are visible to others in the process at once and answered when
// they are durable.
#pragma once

#include "client/client.h"
#include "server/identity/user.h"
#include "server/objects/objects.h"

namespace muster::server {

class LocalClient final : public client::Client {
public:
    // `objects` and `mirrors` must outlive the client. Its writes are the user's; reads are not restricted.
    LocalClient(Objects& objects, User user, client::SharedMirrors* mirrors = nullptr)
        : objects_(objects), user_(std::move(user)), mirrors_(mirrors) {}

    client::SharedMirrors* shared_mirrors() override { return mirrors_; }
    const client::KindSource& kinds() const override { return objects_.kinds(); }

    using AnyObjectTask = os::Task<Result<client::AnyObject>>;
    AnyObjectTask get_any(const api::KindInfo& kind, client::ObjectName name, View view) override;
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_,
                                                  View view) override;
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version, View view) override;
    AnyObjectTask patch_any(const api::KindInfo& kind, client::ObjectName name, client::MetadataPatch patch,
                            View view) override;
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::Removal removal) override;
    os::Task<Result<void>> bind(client::ObjectName pod, Text uid, Text node) override;
    AnyObjectTask create_any(const api::KindInfo& kind, client::AnyObject draft) override;
    AnyObjectTask change_any(const api::KindInfo& kind, client::AnyObject before, client::AnyObject after,
                             client::Part part) override;

private:
    // Before a write: nothing is applied while too much waits for the disk.
    os::Task<void> wait_for_room();
    AnyObjectTask finish(Result<Outcome> outcome, View view);
    WriteOptions write_options() const;

    Objects& objects_;
    User user_;
    client::SharedMirrors* const mirrors_;
};

// A controller of ours, as RBAC and the audit log know it: system:serviceaccount:kube-system:job-controller.
User controller_user(std::string_view name);

}  // namespace muster::server
