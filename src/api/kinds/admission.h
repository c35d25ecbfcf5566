// What an API server and a webhook say to each other: the review of a write (admission.k8s.io/v1), and the conversion
// of objects between versions of their kind (apiextensions.k8s.io/v1). Bodies of requests and answers, never stored and
// not served by Muster's own server.
#pragma once

#include "api/kinds/authentication.h"
#include "api/kinds/meta/meta.h"
#include "api/kinds/meta/status.h"
#include "api/schema/kind_info.h"

namespace muster::api::admission {

inline constexpr const char* kPackage = "io.k8s.api.admission.v1";
inline constexpr const char* kGroup = "admission.k8s.io";
inline constexpr const char* kVersion = "v1";

inline constexpr const char* kCreate = "CREATE";
inline constexpr const char* kUpdate = "UPDATE";
inline constexpr const char* kJsonPatch = "JSONPatch";

struct AdmissionKind {
    TYPE(AdmissionKind, "A kind with its group and version.")
    FIELD(1, Text, group, "The group of the kind; empty for the core group.", .required = true)
    FIELD(2, Text, version, "The version of the kind.", .required = true)
    FIELD(3, Text, kind, "The name of the kind.", .required = true)
};

struct AdmissionResource {
    TYPE(AdmissionResource, "A resource with its group and version.")
    FIELD(1, Text, group, "The group of the resource; empty for the core group.", .required = true)
    FIELD(2, Text, version, "The version of the resource.", .required = true)
    FIELD(3, Text, resource, "The name of the resource, in the plural.", .required = true)
};

struct AdmissionRequest {
    TYPE(AdmissionRequest, "A write that is about to be stored.")
    FIELD(1, Text, uid, "Tells this request apart from all others; the answer repeats it.", .required = true)
    FIELD(2, AdmissionKind, kind, "The kind in which the object is sent here.", .required = true)
    FIELD(3, AdmissionResource, resource, "The resource that is written.", .required = true)
    FIELD(4, Text, sub_resource, "The subresource that is written, such as status.")
    FIELD(13, Box<AdmissionKind>, request_kind, "The kind in which the client sent the object.")
    FIELD(14, Box<AdmissionResource>, request_resource, "The resource that the client named.")
    FIELD(15, Text, request_sub_resource, "The subresource that the client named.")
    FIELD(5, Text, name, "The name of the object; empty when the server is to choose one.")
    FIELD(6, Text, namespace_, "The namespace of the object.")
    FIELD(7, Text, operation, "What is done: CREATE, UPDATE, DELETE or CONNECT.", .required = true)
    FIELD(8, authentication::UserInfo, user_info, "Who writes.", .required = true)
    FIELD(9, RawJson, object, "The object as it is to be.")
    FIELD(10, RawJson, old_object, "The object as it is; null when it is created.")
    FIELD(11, std::optional<bool>, dry_run, "Nothing will be stored.")
    FIELD(12, RawJson, options, "The options of the operation.")
};

struct AdmissionResponse {
    TYPE(AdmissionResponse, "Whether the write may be stored, and with what changes.")
    FIELD(1, Text, uid, "That of the request.", .required = true)
    FIELD(2, bool, allowed, "Whether the write may be stored.", .required = true)
    FIELD(3, Box<meta::Status>, status, "Why it may not.")
    FIELD(4, Bytes, patch, "The changes, as a JSON patch.")
    FIELD(5, std::optional<Text>, patch_type, "The form of the patch: JSONPatch.")
    FIELD(6, Map<Text>, audit_annotations, "What the audit log shall say of it.")
    FIELD(7, List<Text>, warnings, "Sentences for the client.")
};

struct AdmissionReview {
    KIND(AdmissionReview, "A question about a write, or the answer to it.")
    FIELD(1, Box<AdmissionRequest>, request, "The question.")
    FIELD(2, Box<AdmissionResponse>, response, "The answer.")
};

}  // namespace muster::api::admission

namespace muster::api::conversion {

inline constexpr const char* kPackage = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
inline constexpr const char* kGroup = "apiextensions.k8s.io";
inline constexpr const char* kVersion = "v1";

struct ConversionRequest {
    TYPE(ConversionRequest, "Objects that another version of their kind is asked for.")
    FIELD(1, Text, uid, "Tells this request apart from all others; the answer repeats it.", .required = true)
    FIELD(2, Text, desired_api_version, "The version that is asked for, with its group.", .json = "desiredAPIVersion",
          .required = true)
    FIELD(3, List<RawJson>, objects, "The objects to convert.", .required = true)
};

struct ConversionResponse {
    TYPE(ConversionResponse, "The converted objects, in the order of the request.")
    FIELD(1, Text, uid, "That of the request.", .required = true)
    FIELD(2, List<RawJson>, converted_objects, "The objects in the version that was asked for.", .required = true)
    FIELD(3, meta::Status, result, "Whether all could be converted.", .required = true)
};

struct ConversionReview {
    KIND(ConversionReview, "A question for another version of objects, or the answer to it.")
    FIELD(1, Box<ConversionRequest>, request, "The question.")
    FIELD(2, Box<ConversionResponse>, response, "The answer.")
};

}  // namespace muster::api::conversion
