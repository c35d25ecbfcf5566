// The client of controllers that only observe: reads pass, and each write is told in a line and not sent. To its
// controller a write looks done, so that the rest of its plan is told, too. A controller that does not see its write
// happen may ask for it again and again: the second time it is refused (kUnavailable), so that it waits longer each
// time, and nothing is told twice. Nothing secret is told: of a status the patch, of other objects their names.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "client/client.h"

namespace muster {

class ObservingClient final : public client::Client {
public:
    using Tell = std::function<void(std::string_view line)>;
    using AnyObjectTask = os::Task<Result<client::AnyObject>>;

    ObservingClient(std::unique_ptr<client::Client> inner, Tell tell)
        : inner_(std::move(inner)), tell_(std::move(tell)) {}

    client::SharedMirrors* shared_mirrors() override { return inner_->shared_mirrors(); }
    const client::KindSource& kinds() const override { return inner_->kinds(); }
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
    // Tells it, unless it was told before: then it is refused.
    Result<> would(std::string line);

    const std::unique_ptr<client::Client> inner_;
    const Tell tell_;
    std::set<std::size_t> told_;  // lines, by their hashes
};

}  // namespace muster
