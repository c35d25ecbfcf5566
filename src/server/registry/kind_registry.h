// The registry of kinds: everything that is served and stored, by name. A kind is a row. Its handle is a KindInfo,
// whose options are the properties that are plain data; properties that are functions are columns
// (api/registry/kind_column.h), found by the same handle. There are two sorts of rows:
//     declared   a C++ type of api/kinds, listed in api/kinds/kind_list.h; the same in every registry
//     defined    known only at run time (api/registry/defined_kind.h)
// A registry never changes. The loop and the threads that carry requests share it; when a kind is defined or removed,
// it is replaced as a whole (`Kinds`), and a request keeps the one that it began with.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/registry/defined_kind.h"
#include "base/result.h"
#include "client/kinds/kind_source.h"
#include "os/http/http.h"
#include "server/registry/resources.h"

namespace muster::server {

// Where objects of a kind are stored: "/batch/jobs/". Views of a kind have another one that is never used.
std::string storage_prefix(const api::KindInfo& kind);

// A document that is made from the registry on first use, on any thread, and kept with it.
class RegistryDocument {
public:
    struct Content {
        os::SharedBytes body;
        std::string hash;  // of the body
    };
    template <class Make>
    const Content& get(Make make) const {
        std::call_once(once_, [&] { content_ = make(); });
        return content_;
    }

private:
    mutable std::once_flag once_;
    mutable Content content_;
};

class KindRegistry {
public:
    using Ptr = std::shared_ptr<const KindRegistry>;

    // The declared kinds alone.
    static const Ptr& declared();
    // The declared kinds and these. kAlreadyExists when two kinds have one path or are stored in one place.
    static Result<Ptr> with(const std::vector<api::DefinedKind>& defined);

    KindRegistry(const KindRegistry&) = delete;
    KindRegistry& operator=(const KindRegistry&) = delete;

    // One per group and version, the core group first, then in the order discovery shows groups, those of defined kinds
    // last. The versions of a group stand together, the preferred one first.
    std::span<const ServedVersion> versions() const { return versions_; }
    // Null when that is not served.
    const ServedVersion* find_version(std::string_view group, std::string_view version) const;
    const ServedVersion* find_group(std::string_view group) const;  // in its preferred version
    const ServedResource* find_served(std::string_view group, std::string_view version, std::string_view plural) const;
    // The kind whose objects are stored under that prefix, or null.
    const api::KindInfo* find_stored(std::string_view prefix) const;
    // All of them: the declared kinds in the order of their list, then the defined ones.
    const std::vector<const api::KindInfo*>& stored() const { return stored_kinds_; }

    // OpenAPI's documents (server/discovery/openapi.h): of each version by its place in `versions()`, and of all.
    struct Documents {
        std::unique_ptr<RegistryDocument[]> versions;
        RegistryDocument index;
        RegistryDocument v2;
        RegistryDocument v2_json;
    };
    const Documents& documents() const { return documents_; }

private:
    KindRegistry() = default;
    static Result<Ptr> make(const std::vector<api::DefinedKind>& defined);
    Result<> add_stored(const api::KindInfo& kind);
    Result<> add_version(std::string_view group, std::string_view version, std::vector<ServedResource> resources);

    std::vector<std::vector<ServedResource>> resources_;  // by version, in it by plural
    std::vector<ServedVersion> versions_;
    std::vector<std::unique_ptr<const ServedSubresource>> parts_;  // of defined kinds
    std::map<std::string, const api::KindInfo*, std::less<>> stored_;
    std::vector<const api::KindInfo*> stored_kinds_;
    Documents documents_;
};

// The registry of now. It is read on any thread, and replaced on the loop.
class Kinds final : public client::KindSource {
public:
    explicit Kinds(KindRegistry::Ptr first = KindRegistry::declared()) : now_(std::move(first)) {}
    KindRegistry::Ptr now() const {
        const std::lock_guard lock(mutex_);
        return now_;
    }
    // Tells the listeners, even when the kinds are the same as before.
    void replace(KindRegistry::Ptr next) {
        {
            const std::lock_guard lock(mutex_);
            now_ = std::move(next);
        }
        listeners_.call();
    }

    client::KindSource::Kinds stored() const override { return now()->stored(); }
    std::unique_ptr<Listening> listen(Listener listener) const override { return listeners_.add(std::move(listener)); }

private:
    mutable std::mutex mutex_;
    KindRegistry::Ptr now_;
    mutable client::KindListeners listeners_;  // of the loop
};

}  // namespace muster::server
