// What the server has, as its discovery says: the words people type (jobs, job, cj, jobs.batch) to the paths that
// serve them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/connection/session.h"

namespace muster::cli {

struct Resource {
    std::string group{};
    std::string version{};
    std::string kind{};
    std::string plural{};
    std::string singular{};
    bool namespaced = true;
    std::vector<std::string> short_names{};
    std::vector<std::string> categories{};
    std::vector<std::string> verbs{};

    bool can(std::string_view verb) const;
    std::string api_version() const { return group.empty() ? version : group + "/" + version; }
    // "jobs.batch", "pods": as messages name it.
    std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
    // "job.batch/pi": as results name an object.
    std::string object_name(std::string_view name) const;
    // "/apis/batch/v1/namespaces/default/jobs/pi". Without a namespace across all, without a name the collection.
    std::string path(std::string_view namespace_, std::string_view name = {}) const;
};

class ResourceMap {
public:
    // Asks the server. Fails as `call` does.
    static Result<ResourceMap> fetch(Session& session);

    // By plural, singular, kind or short name, with ".group" or ".version.group" behind when it is to be exact.
    // kNotFound, in kubectl's words.
    Result<const Resource*> find(std::string_view word) const;
    // The same for "jobs,pods" and for categories such as all.
    Result<std::vector<const Resource*>> find_all(std::string_view words) const;
    // The resource of an object's apiVersion and kind.
    Result<const Resource*> find_kind(std::string_view api_version, std::string_view kind) const;
    const std::vector<Resource>& all() const { return resources_; }

private:
    std::vector<Resource> resources_;  // core first, then in the server's order
};

}  // namespace muster::cli
