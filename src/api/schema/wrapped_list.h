// A list that Kubernetes' Go types have a name for, such as APIResource's Verbs: a plain list in JSON, but in protobuf
// a message of its own with one repeated field. `Message` declares that message; its only field is List<…> items,
// number 1. Lists that are values of a map are wrapped so without a declaration: protobuf has no map of repeated
// fields.
#pragma once

#include <type_traits>
#include <utility>

#include "api/schema/value_info.h"

namespace muster::api {

template <class Message>
using WrappedItems = std::remove_cvref_t<decltype(std::declval<Message&>().items)>;

template <class Message>
struct WrappedList : WrappedItems<Message> {
    WrappedList() = default;
    WrappedList(WrappedItems<Message> list) : WrappedItems<Message>(std::move(list)) {}  // NOLINT: as the list itself
};

namespace detail {

// As the list, with a type: that is how the protobuf codecs know.
template <class Message>
struct Describe<WrappedList<Message>> {
    static constexpr ValueInfo make() {
        ValueInfo info = Describe<WrappedItems<Message>>::make();
        info.type = &Message::info;
        return info;
    }
};

}  // namespace detail
}  // namespace muster::api
