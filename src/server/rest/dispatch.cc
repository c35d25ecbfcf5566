#include "server/rest/dispatch.h"

#include "api/kinds/core/pod.h"
#include "server/access/reviews.h"
#include "server/rest/binding.h"
#include "server/rest/eviction.h"
#include "server/rest/list.h"
#include "server/rest/verbs.h"

namespace muster::server {
namespace {

template <class K>
K& body_as(Call& call) {
    return as<K>(*call.body->object);
}

// The answer to a review: an object that is not stored.
template <class K>
Answer answer_question(K object, const Call& call) {
    return answer_object(std::make_shared<TypedObject<K>>(std::move(object)), {call.as.form}, 201, 0);
}

Result<Answer> answer_review_of(const Services& services, Call& call) {
    const std::string_view kind = call.kind().kind;
    if (kind == "SelfSubjectAccessReview") {
        TRY_ASSIGN(auto review, answer_review(services.roles, call.user,
                                              body_as<api::authorization::SelfSubjectAccessReview>(call)));
        return answer_question(std::move(review), call);
    }
    if (kind == "SubjectAccessReview") {
        TRY_ASSIGN(auto review, answer_review(services.roles, body_as<api::authorization::SubjectAccessReview>(call)));
        return answer_question(std::move(review), call);
    }
    if (kind == "LocalSubjectAccessReview") {
        TRY_ASSIGN(auto review, answer_review(services.roles, call.route.namespace_,
                                              body_as<api::authorization::LocalSubjectAccessReview>(call)));
        return answer_question(std::move(review), call);
    }
    if (kind == "SelfSubjectRulesReview") {
        TRY_ASSIGN(auto review,
                   answer_review(services.roles, call.user, body_as<api::authorization::SelfSubjectRulesReview>(call)));
        return answer_question(std::move(review), call);
    }
    if (kind == "TokenReview") {
        TRY_ASSIGN(auto review, answer_review(*services.authenticator, services.bound_objects,
                                              body_as<api::authentication::TokenReview>(call), services.objects.now()));
        return answer_question(std::move(review), call);
    }
    CHECK(kind == "SelfSubjectReview", kind);
    return answer_question(answer_self_review(call.user, services.objects.now()), call);
}

Result<Answer> issue_token(const Services& services, Call& call) {
    TRY_ASSIGN(TokenAnswer made, answer_token_request(body_as<api::authentication::TokenRequest>(call),
                                                      call.route.namespace_, call.route.name, services.bound_objects,
                                                      services.signer, services.tokens, services.objects.now()));
    call.warnings.insert(call.warnings.end(), made.warnings.begin(), made.warnings.end());
    return answer_question(std::move(made.request), call);
}

Result<Answer> create(const Services& services, Call& call) {
    if (call.route.part) {
        if (call.route.part->name == "binding") return bind_pod(services.objects, call);
        if (call.route.part->name == "eviction") return evict_pod(services.objects, call);
        CHECK(call.route.part->name == "token", call.route.part->name);
        return issue_token(services, call);
    }
    if (call.route.served->virtual_only) {
        if (call.kind().kind != std::string_view("Binding")) return answer_review_of(services, call);
        call.route.name = call.body->object->metadata().name.str();
        call.route.served = call.route.kinds->find_served("", "v1", "pods");
        return bind_pod(services.objects, call);
    }
    return create_object(services.objects, call);
}

Result<Answer> get(const Services& services, const Call& call) {
    if (call.route.served->empty) return not_found(call.resource_kind(), call.route.name);
    return get_object(services.objects, call);
}

}  // namespace

Result<Answer> dispatch(const Services& services, Call& call) {
    switch (call.verb) {
        case Verb::kGet: return get(services, call);
        case Verb::kList:
            if (call.route.served->empty) return empty_list(services.objects, call);
            return list_objects(services.objects, call);
        case Verb::kCreate: return create(services, call);
        case Verb::kUpdate: return update_object(services.objects, call);
        case Verb::kPatch: return patch_object(services.objects, call);
        case Verb::kDelete: return delete_object(services.objects, call);
        case Verb::kDeleteCollection:
        case Verb::kWatch: break;
    }
    CHECK(false, "a watch is streamed, and a collection is deleted bit by bit");
    return Error{};
}

}  // namespace muster::server
