#include "endpoints/reviews.h"

#include "api/kinds/authorization.h"

namespace muster::endpoints {
namespace {

os::Task<Result<UserRef>> review_token(client::Client& client, std::string token) {
    using api::authentication::TokenReview;
    TokenReview question;
    question.spec.token = Text(token);
    auto asking = client.create<TokenReview>(std::move(question));
    CO_TRY_ASSIGN(const client::Ref<TokenReview> answer, co_await std::move(asking));
    if (!answer->status.authenticated) co_return UserRef();
    co_return std::make_shared<const api::authentication::UserInfo>(answer->status.user);
}

os::Task<Result<bool>> review_access(client::Client& client, UserRef user, std::string path) {
    using api::authorization::SubjectAccessReview;
    SubjectAccessReview question;
    question.spec.user = user->username;
    question.spec.uid = user->uid;
    question.spec.groups = user->groups;
    question.spec.extra = user->extra;
    api::authorization::NonResourceAttributes attributes;
    attributes.path = Text(path);
    attributes.verb = Text("get");
    question.spec.non_resource_attributes = attributes;
    auto asking = client.create<SubjectAccessReview>(std::move(question));
    CO_TRY_ASSIGN(const client::Ref<SubjectAccessReview> answer, co_await std::move(asking));
    co_return answer->status.allowed;
}

}  // namespace

Reviewers reviewers_of(client::Client& client) {
    return {.find_user = [&client](std::string token) { return review_token(client, std::move(token)); },
            .may_get = [&client](UserRef user,
                                 std::string path) { return review_access(client, std::move(user), std::move(path)); }};
}

}  // namespace muster::endpoints
