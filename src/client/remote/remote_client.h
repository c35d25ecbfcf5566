// A client of an API server over HTTPS, in JSON: a cluster's, or a running `muster up`.
// Objects are written as patches of what changed (client/change.h). Lists are read as a stream where the server can
// (WatchList), else in pages.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/prng.h"
#include "client/client.h"
#include "client/remote/transport.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"

namespace muster::client {

// Of a kind, only these objects are listed and watched. In the form that the API has them: "a=b,c!=d".
struct Selection {
    std::string labels{};
    std::string fields{};
};

struct RemoteSettings {
    TransportSettings transport{};
    Duration silence_max = 90s;  // of a watch, then it is resumed: servers send bookmarks more often
    std::string field_manager = "muster";
    std::map<const api::KindInfo*, Selection> selections{};
};

class RemoteClient final : public Client {
public:
    // The loop must outlive it. Nothing is sent yet; kBadRequest when the access cannot be used.
    static Result<std::unique_ptr<RemoteClient>> make(os::RealLoop& loop, const ServerAccess& access,
                                                      RemoteSettings settings = {});

    // Whether the server answers that it is ready.
    os::Task<bool> is_ready();
    // The last request got no answer: the server may be gone.
    bool out_of_touch() const { return out_of_touch_; }

    using AnyObjectTask = os::Task<Result<AnyObject>>;
    AnyObjectTask get_any(const api::KindInfo& kind, ObjectName name, View view) override;
    os::Task<Result<AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_, View view) override;
    os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                          std::string resource_version, View view) override;
    AnyObjectTask patch_any(const api::KindInfo& kind, ObjectName name, MetadataPatch patch, View view) override;
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, ObjectName name, Removal removal) override;
    AnyObjectTask create_any(const api::KindInfo& kind, AnyObject draft) override;
    AnyObjectTask change_any(const api::KindInfo& kind, AnyObject before, AnyObject after, Part part) override;
    os::Task<Result<void>> bind(ObjectName pod, Text uid, Text node) override;

private:
    RemoteClient(os::RealLoop& loop, RemoteSettings settings);
    // The body of an answer that says yes; the error that any other says.
    os::Task<Result<std::string>> ask(os::HttpClientRequest request, RequestClass class_);
    AnyObjectTask ask_object(const api::KindInfo& kind, os::HttpClientRequest request, RequestClass class_, View view);
    // The answer to a watch, when it says yes.
    os::Task<Result<std::unique_ptr<os::HttpIncoming>>> open(os::HttpClientRequest request);
    // "?watch=true&…" with what restricts the kind.
    std::string with_selection(const api::KindInfo& kind, std::string target, std::string query) const;
    os::Task<Result<AnyListing>> list_by_stream(const api::KindInfo* kind, std::string namespace_, View view);
    os::Task<Result<AnyListing>> list_by_pages(const api::KindInfo* kind, std::string namespace_, View view);
    // Custom resources know no strategic merge: their lists are read first and written whole.
    AnyObjectTask patch_custom(const api::KindInfo* kind, ObjectName name, MetadataPatch patch, View view);

    os::LinuxNetwork network_;
    os::ThreadWorker worker_;
    const RemoteSettings settings_;
    Prng random_;
    std::unique_ptr<Transport> transport_;
    bool streams_lists_ = true;  // until the server refuses
    bool out_of_touch_ = false;
};

}  // namespace muster::client
