// The least server that can answer recorded stories with api/ alone: objects in a map, no HTTP, no watch, no access
// control. It shows in what order the functions of api/ make a write; the real server does the same and more.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "api/patch/patch.h"
#include "api/rules/kind_rules.h"
#include "api/testing/story.h"
#include "base/result.h"

namespace muster::api {

class StoryServer {
public:
    // With one namespace; stories may create more.
    explicit StoryServer(std::string namespace_);

    // Nothing when the request needs more than api/: lists, deletes, subresources other than status.
    std::optional<StoryAnswer> answer(const StoryStep& step);

private:
    using Object = std::shared_ptr<void>;
    struct Request {
        const StoryStep& step;
        const KindRules& rules;
        std::string namespace_;
        std::string name;
        bool is_status = false;
        bool is_dry_run = false;
        std::string field_validation;
        std::string key() const { return std::string(rules.kind->options.plural) + "/" + namespace_ + "/" + name; }
    };
    struct Written {
        int code;
        Object object;
    };

    std::optional<Request> route(const StoryStep& step) const;
    Result<Written> handle(const Request& request);
    Result<Written> create(const Request& request);
    Result<Written> replace(const Request& request);
    Result<Written> patch(const Request& request);
    Result<Written> update(const Request& request, Object now, const Object& before);
    Result<Object> find(const Request& request) const;
    Result<Object> decode_body(const Request& request) const;
    Object store(const Request& request, Object object);
    void admit(const KindRules& rules, void* object) const;

    std::set<std::string> namespaces_;
    std::map<std::string, Object> objects_;
    RuleContext context_;
    std::int64_t revision_ = 1000;
};

}  // namespace muster::api
