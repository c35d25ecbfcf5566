#include "client/kinds/kind_source.h"

#include "api/kinds/kind_list.h"

namespace muster::client {
namespace {

class DeclaredKinds final : public KindSource {
public:
    Kinds stored() const override {
        Kinds kinds;
        api::for_each_kind<api::StoredKinds>([&]<class K>() { kinds.push_back(&api::kind_info<K>()); });
        return kinds;
    }
    std::unique_ptr<Listening> listen(Listener) const override { return std::make_unique<Listening>(); }
};

}  // namespace

const KindSource& declared_kinds() {
    static const DeclaredKinds kinds;
    return kinds;
}

class KindListeners::Place final : public KindSource::Listening {
public:
    Place(std::shared_ptr<Table> table, std::uint64_t id) : table_(std::move(table)), id_(id) {}
    ~Place() override { table_->listeners.erase(id_); }

private:
    const std::shared_ptr<Table> table_;
    const std::uint64_t id_;
};

std::unique_ptr<KindSource::Listening> KindListeners::add(KindSource::Listener listener) {
    const std::uint64_t id = ++table_->last;
    table_->listeners.emplace(id, std::move(listener));
    return std::make_unique<Place>(table_, id);
}

// A listener is copied before it is called, because it may end itself.
void KindListeners::call() const {
    const std::shared_ptr<Table> table = table_;
    const std::uint64_t last = table->last;
    for (auto at = table->listeners.begin(); at != table->listeners.end() && at->first <= last;) {
        const std::uint64_t id = at->first;
        const KindSource::Listener listener = at->second;
        listener();
        at = table->listeners.upper_bound(id);
    }
}

}  // namespace muster::client
