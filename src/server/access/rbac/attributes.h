// What a request wants to do, as authorization sees it, and the words in which it is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::server {

// The members are views; the caller keeps the texts alive.
struct Attributes {
    std::string_view verb{};   // get list watch create update patch delete deletecollection …; a path's: get post …
    std::string_view group{};  // "" is core
    std::string_view version{};      //
    std::string_view resource{};     // pods
    std::string_view subresource{};  // log
    std::string_view namespace_{};   // empty: all of them, or a resource without
    std::string_view name{};         // empty: of no single object
    std::string_view path{};         // of a request that is not about a resource
    bool is_path = false;

    static Attributes for_path(std::string_view verb, std::string_view path) {
        return {.verb = verb, .path = path, .is_path = true};
    }
};

// User "x" cannot list resource "pods" in API group "" in the namespace "y"
std::string forbidden_sentence(std::string_view user_name, const Attributes& attributes);
// kForbidden: pods "p" is forbidden: User "x" cannot …: reason
Error forbidden_error(std::string_view user_name, const Attributes& attributes, std::string_view reason);
// `pods "p" is forbidden: why`, for other refusals.
Error forbidden_object(std::string_view group, std::string_view resource, std::string_view name, std::string_view why);

}  // namespace muster::server
