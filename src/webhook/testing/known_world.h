// A world of objects that a test names, for the rules of queueing.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "api/codec/decode.h"
#include "controllers/queue/review/world.h"

namespace muster::webhook {

class KnownWorld final : public controllers::QueueWorld {
public:
    template <class K>
    void add(const std::string& yaml) {
        auto object = std::make_shared<const K>(api::from_yaml<K>(yaml).value());
        objects_[{&api::kind_info<K>(), object->metadata.namespace_.str(), object->metadata.name.str()}] = object;
    }
    const void* find_any(const api::KindInfo& kind, std::string_view namespace_, std::string_view name,
                         std::string_view) override {
        const auto found = objects_.find({&kind, std::string(namespace_), std::string(name)});
        return found == objects_.end() ? nullptr : found->second.get();
    }

private:
    std::map<std::tuple<const api::KindInfo*, std::string, std::string>, std::shared_ptr<const void>> objects_;
};

}  // namespace muster::webhook
