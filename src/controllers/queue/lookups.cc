#include "controllers/queue/lookups.h"

namespace muster::controllers {

Lookups::Lookups(os::Loop& loop, client::Client& client) : flavors_(loop, client), classes_(loop, client) {
    find_flavor_ = [this](const Text& name) { return flavors_.get({Text(), name}).get(); };
    find_priority_ = [this](const Text& name) -> std::optional<std::int32_t> {
        const auto found = classes_.get({Text(), name});
        return found ? std::optional(found->value) : std::nullopt;
    };
}

void Lookups::start() {
    flavors_.start();
    classes_.start();
}

os::Task<void> Lookups::wait_synced() {
    co_await flavors_.wait_synced();
    co_await classes_.wait_synced();
}

}  // namespace muster::controllers
