// Questions about rights: may this user, or may I, do this. They are answered and never stored.
// `extra` is a map of lists; in protobuf each list is wrapped in a message of one repeated field, ExtraValue.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"

namespace muster::api::authorization {

inline constexpr const char* kPackage = "io.k8s.api.authorization.v1";
inline constexpr const char* kGroup = "authorization.k8s.io";
inline constexpr const char* kVersion = "v1";

struct FieldSelectorAttributes {
    TYPE(FieldSelectorAttributes, "Narrows a request to objects whose fields match.")
    FIELD(1, Text, raw_selector,
          "The selector as in a query. Parsed when requirements is empty; webhooks should not rely on it.")
    FIELD(2, List<meta::FieldSelectorRequirement>, requirements, "The parsed selector. All requirements must hold.")
};

struct LabelSelectorAttributes {
    TYPE(LabelSelectorAttributes, "Narrows a request to objects whose labels match.")
    FIELD(1, Text, raw_selector,
          "The selector as in a query. Parsed when requirements is empty; webhooks should not rely on it.")
    FIELD(2, List<meta::LabelSelectorRequirement>, requirements, "The parsed selector. All requirements must hold.")
};

struct ResourceAttributes {
    TYPE(ResourceAttributes, "A request about objects.")
    FIELD(1, Text, namespace_,
          "Namespace of the request. Empty for resources without namespace, and for all namespaces at once; a "
          "LocalSubjectAccessReview fills in its own.")
    FIELD(2, Text, verb,
          "What is to be done: get, list, watch, create, update, patch, delete and so on. * is everything.")
    FIELD(3, Text, group, "Group of the resource. * is all groups.")
    FIELD(4, Text, version, "Version of the resource. * is all versions.")
    FIELD(5, Text, resource, "The resource, as a plural. * is all.")
    FIELD(6, Text, subresource, "The subresource. Empty for none.")
    FIELD(7, Text, name, "Name of the object. Empty for all of them.")
    FIELD(8, Box<FieldSelectorAttributes>, field_selector,
          "Narrows the request by fields. It can only narrow what is allowed.")
    FIELD(9, Box<LabelSelectorAttributes>, label_selector,
          "Narrows the request by labels. It can only narrow what is allowed.")
};

struct NonResourceAttributes {
    TYPE(NonResourceAttributes, "A request for a path that is no resource.")
    FIELD(1, Text, path, "The path.")
    FIELD(2, Text, verb, "The HTTP verb, in lower case.")
};

struct SubjectAccessReviewSpec {
    TYPE(SubjectAccessReviewSpec, "Who wants to do what. One of resourceAttributes and nonResourceAttributes is set.")
    FIELD(1, Box<ResourceAttributes>, resource_attributes, "The request, when it is about objects.")
    FIELD(2, Box<NonResourceAttributes>, non_resource_attributes, "The request, when it is for a path.")
    FIELD(3, Text, user, "The user asked about. Without groups, the user counts as being in none.")
    FIELD(4, List<Text>, groups, "Groups of the user asked about.")
    FIELD(5, Map<List<Text>>, extra, "What else an authenticator would know of the user, by name.")
    FIELD(6, Text, uid, "UID of the user asked about.")
};

struct SelfSubjectAccessReviewSpec {
    TYPE(SelfSubjectAccessReviewSpec, "What the requester wants to do. Exactly one of the fields is set.")
    FIELD(1, Box<ResourceAttributes>, resource_attributes, "The request, when it is about objects.")
    FIELD(2, Box<NonResourceAttributes>, non_resource_attributes, "The request, when it is for a path.")
};

struct SubjectAccessReviewStatus {
    TYPE(SubjectAccessReviewStatus, "Whether it is allowed.")
    FIELD(1, bool, allowed, "Whether the request would be allowed.", .required = true)
    FIELD(2, Text, reason, "Why, as a sentence for people.")
    FIELD(3, Text, evaluation_error,
          "What went wrong on the way. The answer can still be right: what remained may have been enough.")
    FIELD(4, bool, denied,
          "Whether the request is expressly denied. When denied and allowed are both false, no authorizer has an "
          "opinion and the request is refused.")
};

struct SubjectAccessReview {
    KIND(SubjectAccessReview, "Asks whether a user may do something.", .plural = "subjectaccessreviews",
         .namespaced = false)
    FIELD(1, meta::ObjectMeta, metadata,
          "Standard metadata. A review is answered and never stored, so it is mostly empty.")
    FIELD(2, SubjectAccessReviewSpec, spec, "Who wants to do what.", .required = true)
    FIELD(3, SubjectAccessReviewStatus, status, "The answer. Filled by the server.")
};

struct SelfSubjectAccessReview {
    KIND(SelfSubjectAccessReview, "Asks whether the requester may do something. Everybody may ask this.",
         .plural = "selfsubjectaccessreviews", .namespaced = false)
    FIELD(1, meta::ObjectMeta, metadata,
          "Standard metadata. A review is answered and never stored, so it is mostly empty.")
    FIELD(2, SelfSubjectAccessReviewSpec, spec, "What the requester wants to do.", .required = true)
    FIELD(3, SubjectAccessReviewStatus, status, "The answer. Filled by the server.")
};

struct LocalSubjectAccessReview {
    KIND(LocalSubjectAccessReview, "Asks whether a user may do something in one namespace.",
         .plural = "localsubjectaccessreviews")
    FIELD(1, meta::ObjectMeta, metadata,
          "Standard metadata. A review is answered and never stored, so it is mostly empty.")
    FIELD(2, SubjectAccessReviewSpec, spec, "Who wants to do what. Its namespace is the one the review is sent to.",
          .required = true)
    FIELD(3, SubjectAccessReviewStatus, status, "The answer. Filled by the server.")
};

struct SelfSubjectRulesReviewSpec {
    TYPE(SelfSubjectRulesReviewSpec, "Where to look.")
    FIELD(1, Text, namespace_, "The namespace whose rules to list. Required.")
};

struct ResourceRule {
    TYPE(ResourceRule, "Verbs that are allowed on resources.")
    FIELD(1, List<Text>, verbs, "What may be done. * is everything.", .required = true)
    FIELD(2, List<Text>, api_groups, "Groups of the resources. * is all groups.")
    FIELD(3, List<Text>, resources, "The resources. * is all of the groups; */scale is that subresource of all.")
    FIELD(4, List<Text>, resource_names, "The objects, by name. All of them when empty or *.")
};

struct NonResourceRule {
    TYPE(NonResourceRule, "Verbs that are allowed on paths.")
    FIELD(1, List<Text>, verbs, "HTTP verbs in lower case. * is everything.", .required = true)
    FIELD(2, List<Text>, non_resource_urls, "The paths. A * may stand as the last step; alone it is all paths.",
          .json = "nonResourceURLs")
};

struct SubjectRulesReviewStatus {
    TYPE(SubjectRulesReviewStatus, "What the requester may do. In no order, and possibly with repetitions.")
    FIELD(1, List<ResourceRule>, resource_rules, "What is allowed on resources.", .required = true)
    FIELD(2, List<NonResourceRule>, non_resource_rules, "What is allowed on paths.", .required = true)
    FIELD(3, bool, incomplete, "Whether there may be more, because some authorizer cannot list its rules.",
          .required = true)
    FIELD(4, Text, evaluation_error, "What went wrong on the way, when the lists may lack something for it.")
};

struct SelfSubjectRulesReview {
    KIND(SelfSubjectRulesReview, "Asks what the requester may do in a namespace. Meant for showing, not for deciding.",
         .plural = "selfsubjectrulesreviews", .namespaced = false)
    FIELD(1, meta::ObjectMeta, metadata,
          "Standard metadata. A review is answered and never stored, so it is mostly empty.")
    FIELD(2, SelfSubjectRulesReviewSpec, spec, "Where to look.", .required = true)
    FIELD(3, SubjectRulesReviewStatus, status, "The answer. Filled by the server.")
};

}  // namespace muster::api::authorization
