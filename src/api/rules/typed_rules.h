// The rules of one kind as a row of functions of its C++ type. A row names only what the kind does differently: the
// defaults are those of a kind without rules of its own. A misspelled name or a wrong signature does not compile.
#pragma once

#include "api/rules/kind_rules.h"
#include "api/schema/walk.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {

template <class K>
concept HasStatus = requires(K object) {
    object.status;
};

// A check of a new object, with or without the context.
template <class K>
class CreateCheck {
public:
    constexpr CreateCheck(FieldErrors (*check)(const K&)) : plain_(check) {}   // NOLINT(google-explicit-constructor)
    constexpr CreateCheck(FieldErrors (*check)(const K&, const RuleContext&))  // NOLINT(google-explicit-constructor)
        : full_(check) {}
    FieldErrors operator()(const K& object, const RuleContext& context) const {
        return full_ ? full_(object, context) : plain_(object);
    }

private:
    FieldErrors (*plain_)(const K&) = nullptr;
    FieldErrors (*full_)(const K&, const RuleContext&) = nullptr;
};

// A check of a change, with or without the context.
template <class K>
class UpdateCheck {
public:
    constexpr UpdateCheck(FieldErrors (*check)(const K&, const K&))  // NOLINT(google-explicit-constructor)
        : plain_(check) {}
    constexpr UpdateCheck(  // NOLINT(google-explicit-constructor)
        FieldErrors (*check)(const K&, const K&, const RuleContext&))
        : full_(check) {}
    FieldErrors operator()(const K& now, const K& before, const RuleContext& context) const {
        return full_ ? full_(now, before, context) : plain_(now, before);
    }

private:
    FieldErrors (*plain_)(const K&, const K&) = nullptr;
    FieldErrors (*full_)(const K&, const K&, const RuleContext&) = nullptr;
};

namespace plain_rules {

template <class K>
void fill_nothing(K&) {}
template <class K>
void clear_status(K& object) {
    if constexpr (HasStatus<K>) object.status = {};
}
template <class K>
FieldErrors check_new_metadata(const K& object) {
    FieldErrors errors;
    check_metadata(object.metadata, K::kKindOptions.namespaced, is_dns1123_subdomain, FieldPath("metadata"), errors);
    return errors;
}
template <class K>
void keep_status(K& now, const K& before) {
    if constexpr (HasStatus<K>) now.status = before.status;
}
template <class K>
void keep_spec(K& now, const K& before) {
    if constexpr (HasStatus<K>) now.spec = before.spec;
}
template <class K>
FieldErrors accept(const K&, const K&) {
    return {};
}
template <class K>
std::vector<std::string> no_warnings(const K&, const K*) {
    return {};
}

template <class K>
GraceRules end_at_once(const K&) {
    return {};
}

}  // namespace plain_rules

// See KindRules for what each is. The checks of metadata that hold for all kinds are not repeated here.
template <class K>
struct Rules {
    void (*fill_defaults)(K&) = plain_rules::fill_nothing<K>;
    void (*prepare_create)(K&) = plain_rules::clear_status<K>;
    CreateCheck<K> validate_create = plain_rules::check_new_metadata<K>;
    void (*prepare_update)(K& now, const K& before) = plain_rules::keep_status<K>;
    UpdateCheck<K> validate_update = plain_rules::accept<K>;
    std::vector<std::string> (*warnings)(const K& now, const K* before) = plain_rules::no_warnings<K>;
    void (*prepare_status_update)(K& now, const K& before) = plain_rules::keep_spec<K>;
    UpdateCheck<K> validate_status_update = plain_rules::accept<K>;
    GraceRules (*grace)(const K&) = plain_rules::end_at_once<K>;
    const SpecFinalizers* spec_finalizers = nullptr;
};

}  // namespace muster::api
