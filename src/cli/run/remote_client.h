// A client of an API server over HTTPS, in JSON, on its own loop: for `muster run` with a running `muster up`.
// Controllers of a remote cluster would also need protobuf and a limit of requests.
#pragma once

#include <memory>

#include "cli/connection/kubeconfig.h"
#include "client/client.h"
#include "os/http/client/http_client.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"

namespace muster::cli {

class RemoteClient final : public client::Client {
public:
    // The loop must outlive it. Nothing is sent yet; kBadRequest when the access cannot be read.
    static Result<std::unique_ptr<RemoteClient>> make(os::RealLoop& loop, const ServerAccess& access);

    // Whether the server answers that it is ready.
    os::Task<bool> is_ready();
    // The last request got no answer: the server may be gone.
    bool out_of_touch() const { return out_of_touch_; }

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

protected:
    os::Task<Result<void>> bind_any(client::ObjectName pod, Text uid, Text node) override;
    AnyObjectTask create_any(const api::KindInfo& kind, client::AnyObject draft) override;
    AnyObjectTask update_any(const api::KindInfo& kind, client::AnyObject draft, client::Part part) override;

private:
    explicit RemoteClient(os::RealLoop& loop) : network_(loop), worker_("names") {}
    // The body of an answer that says yes; the error that any other says.
    os::Task<Result<std::string>> ask(os::HttpClientRequest request);
    AnyObjectTask ask_object(const api::KindInfo& kind, os::HttpClientRequest request, View view);

    os::LinuxNetwork network_;
    os::ThreadWorker worker_;
    std::unique_ptr<os::HttpClient> http_;
    bool out_of_touch_ = false;
};

}  // namespace muster::cli
