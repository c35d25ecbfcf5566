#include "server/access/reviews.h"

#include "api/schema/walk.h"
#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "api/validation/rules/field_errors.h"

namespace muster::server {
namespace {

using api::FieldErrors;
using api::FieldPath;
using api::authorization::LocalSubjectAccessReview;
using api::authorization::NonResourceAttributes;
using api::authorization::ResourceAttributes;
using api::authorization::SelfSubjectAccessReview;
using api::authorization::SelfSubjectRulesReview;
using api::authorization::SubjectAccessReview;
using api::authorization::SubjectAccessReviewSpec;
using api::authorization::SubjectAccessReviewStatus;

const FieldPath kSpec("spec");

// A server that is older than its client may not know an operator; then that demand is left out.
template <class Requirement>
void check_requirement(const Requirement& requirement, const FieldPath& path, FieldErrors& errors) {
    const Text& op = requirement.operator_;
    if ((op == "In" || op == "NotIn") && requirement.values.empty())
        errors.add_required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    if ((op == "Exists" || op == "DoesNotExist") && !requirement.values.empty())
        errors.add_forbidden(path.child("values"),
                             "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
}

void check_key(const api::meta::FieldSelectorRequirement& requirement, const FieldPath& path, FieldErrors& errors) {
    if (requirement.key.empty()) errors.add_required(path.child("key"), "must be specified");
}
void check_key(const api::meta::LabelSelectorRequirement& requirement, const FieldPath& path, FieldErrors& errors) {
    errors.add_problems(path.child("key"), requirement.key, api::is_qualified_name(requirement.key));
    for (std::size_t i = 0; i < requirement.values.size(); ++i)
        errors.add_problems(path.child("values").index(i), requirement.values[i],
                            api::is_label_value(requirement.values[i]));
}

template <class Selector>
void check_selector(const Box<Selector>& selector, const FieldPath& path, FieldErrors& errors) {
    if (!selector) return;
    if (!selector->raw_selector.empty() && !selector->requirements.empty())
        errors.add_invalid(path.child("rawSelector"), selector->raw_selector,
                           "may not specified at the same time as requirements");
    if (selector->raw_selector.empty() && selector->requirements.empty())
        errors.add_required(path.child("requirements"),
                            "when " + path.str() + " is specified, requirements or rawSelector is required");
    for (std::size_t i = 0; i < selector->requirements.size(); ++i) {
        const FieldPath at = path.child("requirements").index(i);
        check_requirement(selector->requirements[i], at, errors);
        check_key(selector->requirements[i], at, errors);
    }
}

// Exactly one of the two is asked about.
void check_target(const Box<ResourceAttributes>& resource, const Box<NonResourceAttributes>& path,
                  FieldErrors& errors) {
    if (resource && path)
        errors.add_invalid(kSpec.child("nonResourceAttributes"), api::shown_json(path),
                           "cannot be specified in combination with resourceAttributes");
    if (!resource && !path)
        errors.add_invalid(kSpec.child("resourceAttributes"), api::Shown::json("null"),
                           "exactly one of nonResourceAttributes or resourceAttributes must be specified");
}

void check_selectors(const Box<ResourceAttributes>& resource, FieldErrors& errors) {
    if (!resource) return;
    const FieldPath path = kSpec.child("resourceAttributes");
    check_selector(resource->field_selector, path.child("fieldSelector"), errors);
    check_selector(resource->label_selector, path.child("labelSelector"), errors);
}

void check_spec(const SubjectAccessReviewSpec& spec, FieldErrors& errors) {
    check_target(spec.resource_attributes, spec.non_resource_attributes, errors);
    if (spec.user.empty() && spec.groups.empty())
        errors.add_invalid(kSpec.child("user"), spec.user, "at least one of user or group must be specified");
    check_selectors(spec.resource_attributes, errors);
}

void check_no_metadata(const api::meta::ObjectMeta& metadata, bool namespaced, FieldErrors& errors) {
    api::meta::ObjectMeta rest = metadata;
    rest.managed_fields.reset();
    if (namespaced) rest.namespace_ = {};
    const api::meta::ObjectMeta empty;
    if (api::is_equal(api::meta::ObjectMeta::info(), &rest, &empty)) return;
    errors.add_invalid(FieldPath("metadata"), api::shown_json(metadata),
                       namespaced ? "must be empty except for namespace" : "must be empty");
}

Attributes attributes_of(const Box<ResourceAttributes>& resource, const Box<NonResourceAttributes>& path) {
    if (!resource) return Attributes::for_path(path->verb, path->path);
    return {.verb = resource->verb,
            .group = resource->group,
            .version = resource->version.empty() ? std::string_view("*") : resource->version.view(),
            .resource = resource->resource,
            .subresource = resource->subresource,
            .namespace_ = resource->namespace_,
            .name = resource->name};
}

// How many requirements can be understood; roles do not look at selectors, but who asks is told what was ignored.
std::size_t readable(const List<api::meta::FieldSelectorRequirement>& requirements) {
    std::size_t count = 0;
    for (const auto& requirement : requirements)
        if ((requirement.operator_ == "In" || requirement.operator_ == "NotIn") && requirement.values.size() == 1)
            ++count;
    return count;
}
std::size_t readable(const List<api::meta::LabelSelectorRequirement>& requirements) {
    std::size_t count = 0;
    for (const auto& requirement : requirements)
        if (api::LabelSelector::parse_op(requirement.operator_).ok()) ++count;
    return count;
}

template <class Parse, class Selector>
void note_selector(const Box<Selector>& selector, std::string_view name, Parse parse, std::string& notes) {
    if (!selector) return;
    const std::size_t understood = readable(selector->requirements);
    const bool all = selector->requirements.empty() ? parse(selector->raw_selector.view()).ok()
                                                    : understood == selector->requirements.size();
    if (all) return;
    notes.append(notes.empty() ? "" : "; ").append("spec.resourceAttributes.").append(name);
    notes.append(understood ? " partially" : "").append(" ignored due to parse error");
}

std::string selector_notes(const Box<ResourceAttributes>& resource) {
    std::string notes;
    if (!resource) return notes;
    note_selector(resource->field_selector, "fieldSelector", &api::FieldSelector::parse, notes);
    note_selector(resource->label_selector, "labelSelector", &api::LabelSelector::parse, notes);
    return notes;
}

SubjectAccessReviewStatus status_of(const RoleView& roles, const User& user, const Box<ResourceAttributes>& resource,
                                    const Box<NonResourceAttributes>& path) {
    const Decision decision = authorize(roles, user, attributes_of(resource, path), Explain::kEverything);
    SubjectAccessReviewStatus status;
    status.allowed = decision.allowed;
    status.reason = decision.reason;
    status.evaluation_error = selector_notes(resource);
    return status;
}

User user_of(const SubjectAccessReviewSpec& spec) {
    User user{.name = spec.user.str(), .uid = spec.uid.str()};
    for (const Text& group : spec.groups) user.groups.push_back(group.str());
    for (const auto& entry : spec.extra)
        for (const Text& value : entry.value) user.extra[entry.key.str()].push_back(value.str());
    return user;
}

template <class K>
Result<> as_result(FieldErrors errors) {
    if (errors.empty()) return {};
    return api::invalid_object(api::kind_info<K>(), "", std::move(errors));
}

}  // namespace

Result<SubjectAccessReview> answer_review(const RoleView& roles, SubjectAccessReview review) {
    FieldErrors errors;
    check_spec(review.spec, errors);
    check_no_metadata(review.metadata, false, errors);
    TRY(as_result<SubjectAccessReview>(std::move(errors)));
    review.status =
        status_of(roles, user_of(review.spec), review.spec.resource_attributes, review.spec.non_resource_attributes);
    return review;
}

Result<SelfSubjectAccessReview> answer_review(const RoleView& roles, const User& asking,
                                              SelfSubjectAccessReview review) {
    FieldErrors errors;
    check_target(review.spec.resource_attributes, review.spec.non_resource_attributes, errors);
    check_selectors(review.spec.resource_attributes, errors);
    check_no_metadata(review.metadata, false, errors);
    TRY(as_result<SelfSubjectAccessReview>(std::move(errors)));
    review.status = status_of(roles, asking, review.spec.resource_attributes, review.spec.non_resource_attributes);
    return review;
}

Result<LocalSubjectAccessReview> answer_review(const RoleView& roles, std::string_view namespace_,
                                               LocalSubjectAccessReview review) {
    if (review.metadata.namespace_.empty()) review.metadata.namespace_ = namespace_;
    FieldErrors errors;
    check_spec(review.spec, errors);
    check_no_metadata(review.metadata, true, errors);
    const auto& resource = review.spec.resource_attributes;
    if (resource && !(resource->namespace_ == review.metadata.namespace_))
        errors.add_invalid(kSpec.child("resourceAttributes", "namespace"), resource->namespace_,
                           "must match metadata.namespace");
    if (review.spec.non_resource_attributes)
        errors.add_invalid(kSpec.child("nonResourceAttributes"), api::shown_json(review.spec.non_resource_attributes),
                           "disallowed on this kind of request");
    TRY(as_result<LocalSubjectAccessReview>(std::move(errors)));
    if (!(review.metadata.namespace_ == namespace_))
        return Error{Code::kBadRequest,
                     "spec.resourceAttributes.namespace must match namespace: " + std::string(namespace_)};
    review.status = status_of(roles, user_of(review.spec), resource, review.spec.non_resource_attributes);
    return review;
}

Result<SelfSubjectRulesReview> answer_review(const RoleView& roles, const User& asking,
                                             const SelfSubjectRulesReview& review) {
    if (review.spec.namespace_.empty()) return Error{Code::kBadRequest, "no namespace on request"};
    const RuleList list = rules_for(roles, asking, review.spec.namespace_);
    SelfSubjectRulesReview answer;
    auto& resources = answer.status.resource_rules.edit();
    auto& paths = answer.status.non_resource_rules.edit();
    for (const api::rbac::PolicyRule& rule : list.rules) {
        if (!rule.resources.empty()) {
            api::authorization::ResourceRule shown;
            shown.verbs = rule.verbs;
            shown.api_groups = rule.api_groups;
            shown.resources = rule.resources;
            shown.resource_names = rule.resource_names;
            resources.push_back(std::move(shown));
        }
        if (!rule.non_resource_urls.empty()) {
            api::authorization::NonResourceRule shown;
            shown.verbs = rule.verbs;
            shown.non_resource_urls = rule.non_resource_urls;
            paths.push_back(std::move(shown));
        }
    }
    answer.status.evaluation_error = list.error();
    return answer;
}

Result<api::authentication::TokenReview> answer_review(const Authenticator& authenticator, const BoundObjects& objects,
                                                       api::authentication::TokenReview review, Instant now) {
    if (review.spec.token.empty())
        return Error{Code::kBadRequest, "token is required for TokenReview in authentication"};
    std::vector<std::string> audiences;
    for (const Text& audience : review.spec.audiences) audiences.push_back(audience.str());
    review.status = {};
    Result<Authentication> known = authenticator.authenticate_token(review.spec.token, audiences, now);
    if (known.ok()) {
        const Result<> checked = check_authentication(*known, objects, now);
        if (!checked.ok()) known = checked.error();
    }
    if (!known.ok()) {
        review.status.error = known.error().message;
        return review;
    }
    review.status.authenticated = true;
    review.status.user = format_user(known->user);
    for (const std::string& audience : known->audiences) review.status.audiences.edit().push_back(audience);
    return review;
}

api::authentication::SelfSubjectReview answer_self_review(const User& asking, Instant now) {
    api::authentication::SelfSubjectReview answer;
    answer.metadata.creation_timestamp = api::Time::from_instant(now);
    answer.status.user_info = format_user(asking);
    return answer;
}

api::authentication::UserInfo format_user(const User& user) {
    api::authentication::UserInfo info;
    info.username = user.name;
    info.uid = user.uid;
    for (const std::string& group : user.groups) info.groups.edit().push_back(group);
    for (const auto& [key, values] : user.extra)
        info.extra.set(key, List<Text>(std::vector<Text>(values.begin(), values.end())));
    return info;
}

}  // namespace muster::server
