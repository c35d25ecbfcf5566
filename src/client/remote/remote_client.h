// A client of an API server over HTTPS, in JSON: a cluster's, or a running `muster up`.
// Objects are written as patches of what changed (client/change.h). Lists are read as a stream where the server can
// (WatchList), else in pages.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/prng.h"
#include "client/client.h"
#include "client/pods/pod_access.h"
#include "client/remote/decode_answer.h"
#include "client/remote/remote_link.h"

namespace muster::client {

// Of a kind, only these objects are listed and watched. In the form that the API has them: "a=b,c!=d".
struct Selection {
    std::string labels{};
    std::string fields{};
};

struct RemoteSettings {
    TransportSettings transport{};  // of a client with a link of its own
    Duration silence_max = 90s;     // of a watch, then it is resumed: servers send bookmarks more often
    std::string field_manager = "muster";
    std::map<const api::KindInfo*, Selection> selections{};
    std::string namespace_{};  // lists and watches of all namespaces are of this one; empty: of all
    // Of a cluster: fields that only Muster has are neither sent nor read.
    api::Dialect dialect = api::Dialect::kMuster;
    // Of these kinds is kept who wrote what part of an object and when, though not which fields.
    std::set<const api::KindInfo*> with_managers{};
};

class RemoteClient final : public Client {
public:
    // The loop must outlive it. Nothing is sent yet; kBadRequest when the access cannot be used.
    static Result<std::unique_ptr<RemoteClient>> make(os::RealLoop& loop, const ServerAccess& access,
                                                      RemoteSettings settings = {});
    // One of several that use the same link.
    RemoteClient(std::shared_ptr<RemoteLink> link, RemoteSettings settings);

    // Mirrors of this client look there.
    void share(SharedMirrors* mirrors) { mirrors_ = mirrors; }
    SharedMirrors* shared_mirrors() override { return mirrors_; }

    // The body of what the server answers to a GET of that path, which may be no object: /version.
    os::Task<Result<std::string>> read(std::string target);

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
    void check_writes(WriteCheck check) override { check_write_ = std::move(check); }

    // A container's log. The client must outlive it.
    std::unique_ptr<LogStream> open_log(ObjectName pod, const api::core::PodLogOptions& options);

private:
    // The body of an answer that says yes; the error that any other says.
    os::Task<Result<std::string>> ask(os::HttpClientRequest request, RequestTurn turn);
    AnyObjectTask ask_object(const api::KindInfo& kind, os::HttpClientRequest request, RequestTurn turn, View view);
    // The answer to a request for a stream, when it says yes.
    os::Task<Result<std::unique_ptr<os::HttpIncoming>>> open(os::HttpClientRequest request);
    os::Task<Result<std::unique_ptr<os::HttpIncoming>>> open_watch(os::HttpClientRequest request);
    // "?watch=true&…" with what restricts the kind.
    std::string with_selection(const api::KindInfo& kind, std::string target, std::string query) const;
    os::Task<Result<AnyListing>> list_by_stream(const api::KindInfo* kind, std::string namespace_, View view);
    os::Task<Result<AnyListing>> list_by_pages(const api::KindInfo* kind, std::string namespace_, View view);
    // Custom resources know no strategic merge: their lists are read first and written whole.
    AnyObjectTask patch_custom(const api::KindInfo* kind, ObjectName name, MetadataPatch patch, View view);

    Reading reading_of(const api::KindInfo& kind) const;
    // Where objects of the kind are listed and watched.
    std::string listed_path(const api::KindInfo& kind, const std::string& namespace_) const;

    const std::shared_ptr<RemoteLink> link_;
    const RemoteSettings settings_;
    Prng random_;
    SharedMirrors* mirrors_ = nullptr;
    WriteCheck check_write_{};
    bool streams_lists_ = true;  // until the server refuses
    bool out_of_touch_ = false;
};

}  // namespace muster::client
