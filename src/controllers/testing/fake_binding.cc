// Binding in the fake world: as a server does it, without its sentences.
#include "api/kinds/core/pod.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {

os::Task<Result<void>> FakeWorld::bind(client::ObjectName pod, Text uid, Text node) {
    co_await os::yield(loop);
    CO_TRY(called("bind pods " + client::format_name(pod) + " to " + node.str()));
    const auto before = find<api::core::Pod>(pod.namespace_, pod.name);
    if (!before) co_return Error{Code::kNotFound, "pods " + client::format_name(pod) + " not found"};
    const bool other = !uid.empty() && !(before->metadata.uid == uid);
    if (other || !before->spec.node_name.empty() || before->metadata.deletion_timestamp)
        co_return Error{Code::kConflict, "it cannot be bound"};
    auto bound = std::make_shared<api::core::Pod>(*before);
    bound->spec.node_name = std::move(node);
    store(api::kind_info<api::core::Pod>(), std::move(bound));
    co_return Result<void>();
}

}  // namespace muster::controllers
