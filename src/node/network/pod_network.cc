#include "node/network/pod_network.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"

namespace muster::node {
namespace {

using api::core::Pod;
using api::core::Service;

constexpr std::string_view kTokenVolumePrefix = "kube-api-access-";

bool has_token_volume(const Pod& pod) {
    return std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(),
                       [](const auto& volume) { return volume.name.view().starts_with(kTokenVolumePrefix); });
}

client::Mirror<Service>::IndexId index_by_namespace(client::Mirror<Service>& services) {
    return services.add_index([](const Service& service) { return service.metadata.namespace_; });
}

}  // namespace

PodNetwork::PodNetwork(os::Loop& loop, client::Client& client, client::Mirror<Pod>& pods,
                       std::function<bool(const Pod&)> is_ours, const std::string& directory, ApiPoint api)
    : pods_(pods),
      services_(loop, client),
      names_(
          loop, directory,
          [&pods, is_ours] {
              std::vector<PodRef> live = pods.all();
              std::erase_if(live, [&](const PodRef& pod) { return !is_ours(*pod) || has_ended(*pod); });
              return live;
          },
          services_, index_by_namespace(services_)),
      kubeconfigs_(loop, client, directory, std::move(api)),
      variables_(kNamespacesRemembered),
      became_ready_(loop),
      tasks_(loop) {
    pods.on_change([this, is_ours](const PodRef& before, const PodRef& now) {
        if ((now && is_ours(*now)) || (before && is_ours(*before))) names_.on_pod(before, now);
    });
    services_.on_change([this](const ServiceRef&, const ServiceRef&) {
        variables_.clear();
        names_.on_service();
    });
}

void PodNetwork::start() {
    services_.start();
    names_.start();
    kubeconfigs_.start();
    tasks_.spawn(begin());
}

os::Task<void> PodNetwork::begin() {
    co_await services_.wait_synced();
    co_await pods_.wait_synced();
    co_await kubeconfigs_.begin();
    names_.take_over();
    ready_ = true;
    became_ready_.notify();
}

const std::shared_ptr<const Environment>& PodNetwork::variables_for(const Pod& pod) {
    const bool links = pod.spec.enable_service_links.value_or(true);
    return variables_.get({pod.metadata.namespace_, links}, [&] {
        return std::make_shared<const Environment>(
            service_environment(services_.all(), pod.metadata.namespace_, links));
    });
}

os::Task<Result<NetworkOffer>> PodNetwork::offer(PodRef pod, Text pod_ip) {
    while (!ready_) co_await became_ready_.wait();
    NetworkOffer offer;
    offer.services = variables_for(*pod);
    CO_TRY_ASSIGN(offer.hosts, names_.file_for(pod, pod_ip));
    if (pod->spec.automount_service_account_token.value_or(true) && !has_token_volume(*pod)) {
        offer.kubeconfig = kubeconfigs_.path_for(pod->metadata.namespace_, pod->spec.service_account_name);
    }
    co_return offer;
}

}  // namespace muster::node
