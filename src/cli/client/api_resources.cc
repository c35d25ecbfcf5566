#include "cli/client/api_resources.h"

#include <algorithm>
#include <ostream>

#include "cli/text/align.h"

namespace muster::cli {
namespace {

std::string join(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
    return out;
}

bool is_wanted(const ApiResourcesOptions& options, const Resource& resource) {
    if (options.namespaced && *options.namespaced != resource.namespaced) return false;
    if (options.group && *options.group != resource.group) return false;
    return std::ranges::all_of(options.verbs, [&](const std::string& verb) { return resource.can(verb); });
}

}  // namespace

int run_api_resources(const ApiResourcesOptions& options, Session& session) {
    const bool wide = options.output == "wide";
    if (!options.output.empty() && !wide && options.output != "name")
        return tell(session, {Code::kBadRequest, "--output " + options.output + " is not available"});
    Result<ResourceMap> map = ResourceMap::fetch(session);
    if (!map.ok()) return tell(session, map.error());
    std::vector<Resource> resources = map->all();
    std::ranges::stable_sort(resources, [](const Resource& left, const Resource& right) {
        return std::pair(left.group, left.plural) < std::pair(right.group, right.plural);
    });
    std::string text;
    if (options.headers && options.output != "name")
        text =
            std::string("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND") + (wide ? "\tVERBS\tCATEGORIES" : "") + "\n";
    for (const Resource& resource : resources) {
        if (!is_wanted(options, resource)) continue;
        if (options.output == "name") {
            text += resource.qualified() + "\n";
            continue;
        }
        text += resource.plural + "\t" + join(resource.short_names) + "\t" + resource.api_version() + "\t" +
                (resource.namespaced ? "true" : "false") + "\t" + resource.kind;
        if (wide) text += "\t" + join(resource.verbs) + "\t" + join(resource.categories);
        text += "\n";
    }
    session.terminal.out << align_columns(text, 3);
    return kExitDone;
}

}  // namespace muster::cli
