#include "cli/client/apply.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "api/codec/dom.h"
#include "api/kinds/all.h"
#include "api/patch/three_way.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr const char* kLastAppliedPointer = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";

json::object& object_member(json::object& object, std::string_view name) {
    json::value& member = object[name];
    if (!member.is_object()) member = json::object();
    return member.as_object();
}

// Members sorted, as kubectl writes the annotation: the same manifest gives the same text.
json::value sorted(const json::value& value) {
    if (const json::object* object = value.if_object()) {
        std::vector<std::string> keys;
        for (const auto& member : *object) keys.emplace_back(member.key());
        std::sort(keys.begin(), keys.end());
        json::object out;
        for (const std::string& key : keys) out[key] = sorted(object->at(key));
        return out;
    }
    if (const json::array* array = value.if_array()) {
        json::array out;
        for (const json::value& item : *array) out.push_back(sorted(item));
        return out;
    }
    return value;
}

class Apply {
public:
    Apply(const ApplyOptions& options, Session& session) : options_(options), session_(session) {}

    int run() {
        if (options_.files.empty())
            return tell(session_, {Code::kBadRequest,
                                   "must specify -f: a manifest, a directory of them, or - for standard input"});
        Result<ResourceMap> map = ResourceMap::fetch(session_);
        if (!map.ok()) return tell(session_, map.error());
        int exit_code = kExitDone;
        bool any = false;
        each_manifest(session_, options_.files, options_.recursive, [&](const auto& objects) {
            if (!objects.ok()) {
                exit_code = tell(session_, objects.error());
                return true;
            }
            for (const json::object& object : *objects) {
                any = true;
                if (const Result<void> done = apply(*map, object); !done.ok()) exit_code = tell(session_, done.error());
            }
            return true;
        });
        if (!any && exit_code == kExitDone) return tell(session_, {Code::kBadRequest, "no objects passed to apply"});
        return exit_code;
    }

private:
    Result<void> apply(const ResourceMap& map, json::object manifest) {
        const json::value value(manifest);
        TRY_ASSIGN(const Resource* resource, map.find_kind(text_at(value, "/apiVersion"), text_at(value, "/kind")));
        const std::string name = text_at(value, "/metadata/name");
        if (name.empty())
            return Error{Code::kBadRequest, "resource name may not be empty: apply cannot use generateName"};
        std::string space = text_at(value, "/metadata/namespace");
        if (resource->namespaced) {
            if (!options_.namespace_.empty() && !space.empty() && space != options_.namespace_)
                return Error{Code::kBadRequest, "the namespace from the provided object \"" + space +
                                                    "\" does not match the namespace \"" + options_.namespace_ +
                                                    "\". You must pass '--namespace=" + space +
                                                    "' to perform this operation."};
            if (space.empty()) space = options_.namespace_.empty() ? session_.namespace_ : options_.namespace_;
            object_member(manifest, "metadata")["namespace"] = space;
        }
        manifest = with_last_applied(std::move(manifest));
        Result<json::value> live = call(session_, {.target = resource->path(space, name)});
        if (live.ok()) return change(*resource, space, name, manifest, *live);
        if (live.error().code != Code::kNotFound) return live.error();
        return create(*resource, space, name, manifest);
    }

    std::string query() const {
        std::string out = "?fieldManager=kubectl-client-side-apply&fieldValidation=" + options_.validate;
        return options_.dry_run == DryRun::kServer ? out + "&dryRun=All" : out;
    }

    Result<void> create(const Resource& resource, const std::string& space, const std::string& name,
                        const json::object& manifest) {
        json::value created(manifest);
        if (options_.dry_run != DryRun::kClient) {
            TRY_ASSIGN(created, call(session_, {.method = "POST",
                                                .target = resource.path(space) + query(),
                                                .content_type = "application/json",
                                                .body = json::serialize(manifest)}));
        }
        report(resource, name, "created", created);
        return {};
    }

    Result<void> change(const Resource& resource, const std::string& space, const std::string& name,
                        const json::object& manifest, const json::value& live) {
        json::object before;
        const std::string last = text_at(live, kLastAppliedPointer);
        if (last.empty()) {
            session_.terminal.err << "Warning: resource " << resource.plural << "/" << name << " is missing the "
                                  << kLastApplied
                                  << " annotation which is required by apply. The missing annotation will be patched "
                                     "automatically.\n";
        } else {
            const Result<json::value> parsed = api::parse_dom(last, {});
            if (parsed.ok() && parsed->is_object()) before = parsed->as_object();
        }
        const api::KindInfo* kind = api::find_kind(resource.group, resource.version, resource.kind);
        const json::object patch =
            api::three_way_patch(kind ? &kind->type() : nullptr, before, manifest, live.as_object());
        if (patch.empty()) {
            report(resource, name, "unchanged", live);
            return {};
        }
        json::value changed = live;
        if (options_.dry_run != DryRun::kClient) {
            TRY_ASSIGN(changed, call(session_, {.method = "PATCH",
                                                .target = resource.path(space, name) + query(),
                                                .content_type = kind ? "application/strategic-merge-patch+json"
                                                                     : "application/merge-patch+json",
                                                .body = json::serialize(patch)}));
        }
        const bool same = options_.dry_run != DryRun::kClient &&
                          text_at(changed, "/metadata/resourceVersion") == text_at(live, "/metadata/resourceVersion");
        report(resource, name, same && options_.dry_run == DryRun::kNone ? "unchanged" : "configured", changed);
        return {};
    }

    void report(const Resource& resource, const std::string& name, const char* what, const json::value& object) {
        std::ostream& out = session_.terminal.out;
        if (options_.output == "json") {
            out << format_json(object);
        } else if (options_.output == "yaml") {
            out << format_yaml(object);
        } else {
            out << resource.object_name(name);
            if (options_.output != "name") out << ' ' << what;
            if (options_.output != "name" && options_.dry_run == DryRun::kClient) out << " (dry run)";
            if (options_.output != "name" && options_.dry_run == DryRun::kServer) out << " (server dry run)";
            out << '\n';
        }
        out.flush();
    }

    const ApplyOptions& options_;
    Session& session_;
};

}  // namespace

json::object with_last_applied(json::object manifest) {
    json::object& metadata = object_member(manifest, "metadata");
    // kubectl's text has the annotations member even when it is empty, and never the annotation itself.
    json::object& annotations = object_member(metadata, "annotations");
    annotations.erase(kLastApplied);
    const std::string text = json::serialize(sorted(manifest)) + "\n";
    annotations[kLastApplied] = text;
    return manifest;
}

int run_apply(const ApplyOptions& options, Session& session) { return Apply(options, session).run(); }

}  // namespace muster::cli
