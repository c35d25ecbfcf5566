// Where an object is. Its texts are the object's own, shared, so that keys of maps cost nothing more.
#pragma once

#include <compare>
#include <string>

#include "base/text.h"

namespace muster::client {

// What coroutines take by value has a constructor: see os/loop/task.h.
struct ObjectName {
    ObjectName() = default;
    ObjectName(Text in_namespace, Text object_name)
        : namespace_(std::move(in_namespace)), name(std::move(object_name)) {}
    Text namespace_;  // empty for kinds that have none
    Text name;
    bool operator==(const ObjectName&) const = default;
    bool operator<(const ObjectName& other) const {
        return namespace_ == other.namespace_ ? name.view() < other.name.view()
                                              : namespace_.view() < other.namespace_.view();
    }
};

// Of an object or of its metadata.
template <class Metadata>
ObjectName name_of_metadata(const Metadata& metadata) {
    return {metadata.namespace_, metadata.name};
}
template <class K>
ObjectName name_of(const K& object) {
    return name_of_metadata(object.metadata);
}

// "default/pi", as logs and events say it; "pi" without a namespace.
inline std::string format_name(const ObjectName& name) {
    return name.namespace_.empty() ? name.name.str() : name.namespace_.str() + '/' + name.name.str();
}

}  // namespace muster::client
