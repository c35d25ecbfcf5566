// Objects for tokens to be bound to, as a test likes them.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "server/identity/service_account_tokens.h"

namespace muster::server {

class FakeBoundObjects final : public BoundObjects {
public:
    // Views in the object must outlive it: literals do.
    void put(BoundKind kind, std::string_view namespace_, std::string_view name, BoundObject object) {
        objects_[{kind, std::string(namespace_), std::string(name)}] = object;
    }
    std::optional<BoundObject> find(BoundKind kind, std::string_view namespace_, std::string_view name) const override {
        const auto found = objects_.find({kind, std::string(namespace_), std::string(name)});
        if (found == objects_.end()) return {};
        return found->second;
    }

private:
    std::map<std::tuple<BoundKind, std::string, std::string>, BoundObject> objects_;
};

}  // namespace muster::server
