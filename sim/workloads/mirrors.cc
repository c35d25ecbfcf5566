// A client outside the server keeps mirrors, as controllers do. Whatever the network does, at the end they must show
// the same objects as a list.
#include "client/mirror.h"
#include "sim/workloads/list.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

class Mirrors final : public Workload {
public:
    void start(World& world) override {
        user_ = std::make_unique<User>(world, "mirror");
        jobs_ = std::make_unique<client::Mirror<api::batch::Job>>(world.loop, user_->client());
        pods_ = std::make_unique<client::Mirror<api::core::Pod>>(world.loop, user_->client());
        by_node_ = pods_->add_index([](const api::core::Pod& pod) { return pod.spec.node_name; });
        jobs_->start();
        pods_->start();
    }
    void wind_down(World&) override {}
    std::string why_not_over(World& world) const override {
        if (!jobs_->synced() || !pods_->synced()) return "a mirror has not synced";
        std::string why = compare(jobs_->all(), world.history.all<api::batch::Job>());
        if (why.empty()) why = compare(pods_->all(), world.history.all<api::core::Pod>());
        if (!why.empty()) return why;
        std::size_t indexed = 0;
        for (const auto& machine : world.machines()) indexed += pods_->indexed(by_node_, machine->name()).size();
        std::size_t bound = 0;
        for (const api::core::Pod* pod : world.history.all<api::core::Pod>())
            bound += pod->spec.node_name.empty() ? 0 : 1;
        return indexed == bound ? "" : "a mirror's index does not show what is there";
    }

private:
    template <class K>
    static std::string compare(const std::vector<client::Ref<K>>& shown, const std::vector<const K*>& there) {
        if (shown.size() != there.size())
            return "a mirror shows " + std::to_string(shown.size()) + ", and there are " + std::to_string(there.size());
        for (std::size_t i = 0; i < shown.size(); ++i)
            if (!(shown[i]->metadata.name == there[i]->metadata.name) ||
                !(shown[i]->metadata.resource_version == there[i]->metadata.resource_version))
                return "a mirror shows " + shown[i]->metadata.name.str() + " @" +
                       shown[i]->metadata.resource_version.str() + ", and there is " + there[i]->metadata.name.str() +
                       " @" + there[i]->metadata.resource_version.str();
        return {};
    }

    std::unique_ptr<User> user_;
    std::unique_ptr<client::Mirror<api::batch::Job>> jobs_;
    std::unique_ptr<client::Mirror<api::core::Pod>> pods_;
    client::Mirror<api::core::Pod>::IndexId by_node_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_mirrors(const Settings&, Prng) { return std::make_unique<Mirrors>(); }

}  // namespace muster::sim
