#include "node/environment/look_up.h"

namespace muster::node {
namespace {

template <class T>
os::Task<Result<client::Ref<T>>> get_or_null(client::Client& client, client::ObjectName name) {
    const Result<client::Ref<T>> found = co_await client.get<T>(std::move(name));
    if (!found.ok() && found.error().code == Code::kNotFound) co_return client::Ref<T>();
    co_return found;
}

}  // namespace

os::Task<Result<Referred>> look_up(client::Client& client, Text in_namespace, References references) {
    Referred referred;
    for (const Text& name : references.config_maps) {
        client::ObjectName whole(in_namespace, name);
        CO_TRY_ASSIGN(referred.config_maps[name], co_await get_or_null<api::core::ConfigMap>(client, std::move(whole)));
    }
    for (const Text& name : references.secrets) {
        client::ObjectName whole(in_namespace, name);
        CO_TRY_ASSIGN(referred.secrets[name], co_await get_or_null<api::core::Secret>(client, std::move(whole)));
    }
    co_return referred;
}

}  // namespace muster::node
